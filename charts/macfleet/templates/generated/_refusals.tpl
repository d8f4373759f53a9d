{{- /* Generated from src by "npm run generate". Do not edit: change what it is made from and generate again. */ -}}
{{- define "macfleet.isSet" -}}
{{- if kindIs "map" . }}
{{- range $value := . }}{{ include "macfleet.isSet" $value }}{{ end }}
{{- else if . }}yes{{ end }}
{{- end }}

{{- define "macfleet.refuseOriginals" -}}
{{- if and (kindIs "map" .Values.macosFleet.tailscale) (dig "enabled" false (.Values.macosFleet.tailscale | default dict)) }}
{{- fail "macosFleet.tailscale.enabled is of the Go original's chart, and there is no tailnet here. Macs are reached at their public address with the key of their fleet; leave it out." }}
{{- end }}
{{- if and (kindIs "map" .Values.macosFleet.tailscaleEgress) (dig "enabled" false (.Values.macosFleet.tailscaleEgress | default dict)) }}
{{- fail "macosFleet.tailscaleEgress.enabled is of the Go original's chart, and there is no tailnet here. Macs are reached at their public address with the key of their fleet; leave it out." }}
{{- end }}
{{- if and (kindIs "map" .Values.macosFleet.hostLogs) (dig "enabled" false (.Values.macosFleet.hostLogs | default dict)) }}
{{- fail "macosFleet.hostLogs.enabled is of the Go original's chart, and logs of Macs are not shipped. \"kubectl logs\" works on virtual machines; collect it as that of any Pod, and leave this out." }}
{{- end }}
{{- if include "macfleet.isSet" .Values.macosFleet.runnerCacheVolume }}
{{- fail "macosFleet.runnerCacheVolume is of the Go original's chart, and there are no cache volumes. Leave it out; caches of jobs go to a server." }}
{{- end }}
{{- if include "macfleet.isSet" .Values.macosFleet.vmClusterEgress }}
{{- fail "macosFleet.vmClusterEgress is of the Go original's chart, and virtual machines have no way into the cluster network. Leave it out." }}
{{- end }}
{{- if include "macfleet.isSet" .Values.macosFleet.vmCachePrivateNetwork }}
{{- fail "macosFleet.vmCachePrivateNetwork is of the Go original's chart, and there are no private networks. Leave it out." }}
{{- end }}
{{- if include "macfleet.isSet" .Values.macosFleet.sshIngressAllowCIDRs }}
{{- fail "macosFleet.sshIngressAllowCIDRs is of the Go original's chart, and SSH of Macs is not filtered by address, only by key. Leave it out." }}
{{- end }}
{{- if include "macfleet.isSet" .Values.runnersController.features }}
{{- fail "runnersController.features is of the Go original's chart, and these are for linux runners, which are not here. Leave it out." }}
{{- end }}
{{- if and (kindIs "map" .Values.kuraFleet) (dig "enabled" false (.Values.kuraFleet | default dict)) }}
{{- fail "kuraFleet.enabled is of the Go original's chart, and linux fleets are not here. Leave it to the chart of the original." }}
{{- end }}
{{- if and (kindIs "map" .Values.xcresultProcessor) (dig "enabled" false (.Values.xcresultProcessor | default dict)) }}
{{- fail "xcresultProcessor.enabled is of the Go original's chart, and it is an ordinary Deployment with the node selector of the fleet. Leave it to its own chart, and name it in manager.fleetSpreadDeployment." }}
{{- end }}
{{- end }}
