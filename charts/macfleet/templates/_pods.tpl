{{- /* What stands in the slots of templates/generated. */ -}}
{{- define "macfleet.image" -}}
{{- $own := .own -}}
{{- with .root -}}
{{- $repository := $own.repository | default .Values.image.repository -}}
{{- if and .Values.image.digest (not $own.repository) -}}
{{ printf "%s@%s" $repository .Values.image.digest }}
{{- else -}}
{{- $tag := $own.tag | default .Values.image.tag | default .Chart.AppVersion -}}
{{ printf "%s:%s" $repository $tag }}
{{- end -}}
{{- end -}}
{{- end }}
{{- define "macfleet.manager.image" -}}{{ include "macfleet.image" (dict "root" . "own" .Values.macosFleet.image) }}{{- end }}
{{- define "macfleet.runners-controller.image" -}}{{ include "macfleet.image" (dict "root" . "own" .Values.runnersController.image) }}{{- end }}
{{- define "macfleet.manager.pullPolicy" -}}{{ .Values.macosFleet.image.pullPolicy | default .Values.image.pullPolicy }}{{- end }}
{{- define "macfleet.runners-controller.pullPolicy" -}}{{ .Values.runnersController.image.pullPolicy | default .Values.image.pullPolicy }}{{- end }}

{{- define "macfleet.podAnnotations" -}}
{{- toYaml (merge (dict) .podAnnotations (include "macfleet.scraped" . | fromYaml)) }}
{{- end }}
{{- define "macfleet.nodeSelector" -}}
{{- toYaml (merge (dict) .nodeSelector (dict "kubernetes.io/os" "linux")) }}
{{- end }}

{{- define "macfleet.zones" -}}
{{- $zones := list -}}
{{- range (include "macfleet.fleets" . | fromYamlArray) }}{{ $zones = append $zones .machine.zone }}{{ end -}}
{{ $zones | uniq | join "," }}
{{- end }}

{{- define "macfleet.manager.args" -}}
- manager
{{- if .Values.simulation.macs }}
- --simulated-macs={{ .Values.simulation.macs }}
- --speed-up={{ .Values.simulation.speedUp }}
{{- else }}
- --scaleway
- --scaleway-credentials={{ include "macfleet.credentialsPath" . }}
{{- with include "macfleet.zones" . }}
- --zones={{ . }}
{{- end }}
{{- with include "macfleet.apiServerURL" . }}
- --api-server-url={{ . }}
{{- end }}
- --tartkubelet-host-cpu={{ .Values.macosFleet.tartKubelet.hostCPU }}
- --tartkubelet-host-memory-mb={{ .Values.macosFleet.tartKubelet.hostMemoryMB }}
- --tartkubelet-max-pods={{ .Values.macosFleet.tartKubelet.maxPods }}
{{- end }}
- --secrets-namespace={{ .Release.Namespace }}
- --capi-remote-account={{ if not .Values.capi.remoteKubeconfig.externalSecrets.enabled }}capi-remote{{ end }}
- --default-adopt-pool-prefix={{ .Values.macosFleet.adoptPoolPrefix }}
{{- if .Values.macosFleet.orphanReclaim.activeReclaim }}
- --orphan-reclaim-claim-name-prefix={{ include "macfleet.fullname" . }}-
{{- end }}
- --max-ordered-hosts={{ .Values.manager.maxOrderedHosts }}
- --max-orders-per-day={{ .Values.manager.maxOrdersPerDay }}
- --lease-profile={{ .Values.manager.leaseProfile }}
{{ include "macfleet.addresses" . }}
{{- with .Values.manager.fleetSpreadDeployment }}
- --fleet-spread-deployment={{ . }}
{{- end }}
{{- range .Values.manager.extraArgs }}
- {{ . | quote }}
{{- end }}
{{- end }}

{{- define "macfleet.manager.env" -}}
{{- $env := .Values.manager.extraEnv -}}
{{- with .Values.macosFleet.scaleway.apiUrl }}{{ $env = prepend $env (dict "name" "SCW_API_URL" "value" .) }}{{ end -}}
{{ toYaml $env }}
{{- end }}
{{- define "macfleet.manager.volumes" -}}
{{- $volumes := .Values.manager.extraVolumes -}}
{{- if not .Values.simulation.macs }}
{{- $volumes = prepend $volumes (dict "name" "scaleway" "secret" (dict "secretName" (include "macfleet.scalewaySecret" .))) }}
{{- end -}}
{{ toYaml $volumes }}
{{- end }}
{{- define "macfleet.manager.volumeMounts" -}}
{{- $mounts := .Values.manager.extraVolumeMounts -}}
{{- if not .Values.simulation.macs }}
{{- $mounts = prepend $mounts (dict "name" "scaleway" "mountPath" (include "macfleet.credentialsPath" .) "readOnly" true) }}
{{- end -}}
{{ toYaml $mounts }}
{{- end }}

{{- define "macfleet.manager.egress" -}}
{{ include "macfleet.managerEgress" . }}
{{- with .Values.manager.extraEgress }}
{{ toYaml . }}
{{- end }}
{{- end }}

{{- /* (list $ "dispatch" "dispatchUrl"): a URL as said, or that of the server; nothing for "none". */ -}}
{{- define "macfleet.serverUrl" -}}
{{- $root := index . 0 }}{{ $path := index . 1 }}{{ $said := index $root.Values.runnersController (index . 2) -}}
{{- if eq $said "none" }}{{ else if $said }}{{ $said }}
{{- else if $root.Values.server.appUrl }}{{ trimSuffix "/" $root.Values.server.appUrl }}/api/internal/runners{{ $path }}{{ end -}}
{{- end }}

{{- define "macfleet.runners-controller.args" -}}
- runners
- --namespace={{ .Values.runnersFleet.namespace }}
- --dispatch-url={{ include "macfleet.serverUrl" (list . "/dispatch" "dispatchUrl") }}
{{- with include "macfleet.serverUrl" (list . "" "sessionsUrl") }}
- --sessions-url={{ . }}
{{- end }}
{{- with include "macfleet.serverUrl" (list . "/desired_replicas" "scalingSignalsUrl") }}
- --scaling-signals-url={{ . }}
{{- end }}
{{- with .Values.runnersController.clusterDNS }}
- --cluster-dns-ip={{ . }}
{{- end }}
- --lease-profile={{ .Values.runnersController.leaseProfile }}
{{ include "macfleet.addresses" . }}
{{- range .Values.runnersController.extraArgs }}
- {{ . | quote }}
{{- end }}
{{- end }}
{{- define "macfleet.runners-controller.env" -}}{{ toYaml .Values.runnersController.extraEnv }}{{- end }}
{{- define "macfleet.runners-controller.volumes" -}}{{ toYaml .Values.runnersController.extraVolumes }}{{- end }}
{{- define "macfleet.runners-controller.volumeMounts" -}}{{ toYaml .Values.runnersController.extraVolumeMounts }}{{- end }}
{{- define "macfleet.runners-controller.egress" -}}
{{ include "macfleet.runnersEgress" . }}
{{- with .Values.runnersController.extraEgress }}
{{ toYaml . }}
{{- end }}
{{- end }}
