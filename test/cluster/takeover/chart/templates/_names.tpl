{{- define "tuist.fullname" -}}{{ .Release.Name }}-tuist{{- end }}
{{- define "tuist.cluster" -}}{{ include "tuist.fullname" . }}-capi{{- end }}
{{- define "tuist.hasCluster" -}}
{{- if and .Values.capi.enabled (or .Values.macosFleet.enabled .Values.runnersFleet.enabled) }}yes{{ end -}}
{{- end }}
{{- define "tuist.shell" -}}
{{- if eq .Values.era "May" }}ScalewayAppleSiliconCluster{{ else }}TuistCluster{{ end -}}
{{- end }}
{{- define "tuist.machineSpec" -}}
{{- $root := .root -}}
{{- with .fleet -}}
type: {{ .machine.type }}
zone: {{ .machine.zone }}
os: {{ if eq $root.Values.era "May" }}macos-tahoe-26.3{{ else }}Tahoe{{ end }}
fleetName: {{ $.name }}
{{- with .adoptPoolPrefix }}
adoptPoolPrefix: {{ . }}
{{- end }}
{{- if .ghRunnerVersion }}
ghActionsRunner:
  ghOrg: tuist
  ghRunnerLabels: self-hosted,macos,bare-metal,vm-image-builder
  ghRunnerVersion: {{ .ghRunnerVersion }}
  ghAppSecretName: {{ $.name }}-gh-app
{{- end }}
{{- end -}}
{{- end }}
