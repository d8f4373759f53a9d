{{- /* Names. With a release "tuist" and fullnameOverride "tuist-tuist" they are those of the Go original. */ -}}
{{- define "macfleet.fullname" -}}
{{- if .Values.fullnameOverride -}}
{{ .Values.fullnameOverride }}
{{- else -}}
{{- $name := default .Chart.Name .Values.nameOverride -}}
{{- if contains $name .Release.Name -}}{{ .Release.Name }}{{- else -}}{{ printf "%s-%s" .Release.Name $name }}{{- end -}}
{{- end -}}
{{- end }}

{{- define "macfleet.manager.name" -}}{{ include "macfleet.fullname" . }}-manager{{- end }}
{{- define "macfleet.runners-controller.name" -}}{{ include "macfleet.fullname" . }}-runners-controller{{- end }}
{{- define "macfleet.clusterName" -}}{{ include "macfleet.fullname" . }}-capi{{- end }}
{{- define "macfleet.noopBootstrap" -}}{{ include "macfleet.fullname" . }}-noop-bootstrap{{- end }}
{{- define "macfleet.scalewaySecret" -}}
{{ .Values.macosFleet.scaleway.secretName | default (printf "%s-capi-scaleway-applesilicon" (include "macfleet.fullname" .)) }}
{{- end }}

{{- define "macfleet.labels" -}}
app.kubernetes.io/name: macfleet
app.kubernetes.io/instance: {{ .Release.Name }}
app.kubernetes.io/part-of: macfleet
helm.sh/chart: {{ printf "%s-%s" .Chart.Name .Chart.Version | replace "+" "_" }}
{{- end }}

{{- /* The fleets that are asked for, as YAML: [{key, name, replicas, prefix, machine, builders?}]. */ -}}
{{- define "macfleet.fleets" -}}
{{- $full := include "macfleet.fullname" . -}}
{{- if and .Values.capi.enabled .Values.macosFleet.enabled }}
{{- with .Values.macosFleet }}
- key: macosFleet
  name: {{ .name | default (printf "%s-macos-fleet" $full) | quote }}
  replicas: {{ .replicas | toJson }}
  prefix: {{ .adoptPoolPrefix | quote }}
  machine: {{- toYaml .machine | nindent 4 }}
{{- end }}
{{- end }}
{{- if and .Values.capi.enabled .Values.runnersFleet.enabled }}
{{- with .Values.runnersFleet }}
- key: runnersFleet
  name: {{ .name | default (printf "%s-runners-fleet" $full) | quote }}
  replicas: {{ .hostCount | toJson }}
  prefix: {{ .adoptPoolPrefix | quote }}
  machine: {{- toYaml .machine | nindent 4 }}
{{- end }}
{{- end }}
{{- if and .Values.capi.enabled .Values.buildersFleet.enabled }}
{{- with .Values.buildersFleet }}
{{- $name := .name | default (printf "%s-builders-fleet" $full) }}
- key: buildersFleet
  name: {{ $name | quote }}
  replicas: {{ .replicas | toJson }}
  prefix: {{ .adoptPoolPrefix | quote }}
  machine: {{- toYaml .machine | nindent 4 }}
  ghActionsRunner:
    ghOrg: {{ .ghOrg | quote }}
    ghRunnerLabels: {{ .ghRunnerLabels | quote }}
    ghRunnerVersion: {{ .ghRunnerVersion | quote }}
    ghAppSecretName: {{ .ghAppSecretName | default (printf "%s-gh-app" $name) | quote }}
{{- end }}
{{- end }}
{{- end }}

{{- /* (dict "fleet" … "values" .Values): the spec that every machine of the fleet gets. */ -}}
{{- define "macfleet.machineSpec" -}}
{{- with .fleet -}}
type: {{ .machine.type | quote }}
zone: {{ .machine.zone | quote }}
os: {{ .machine.os | quote }}
fleetName: {{ .name | quote }}
{{- if eq .machine.acquire "order" }}
acquire: order
{{- end }}
{{- if .prefix }}
adoptPoolPrefix: {{ .prefix | quote }}
{{- end }}
{{- with .machine.hostCPU }}
hostCPU: {{ . | int }}
{{- end }}
{{- with .machine.hostMemoryMB }}
hostMemoryMB: {{ . | int }}
{{- end }}
{{- with .ghActionsRunner }}
ghActionsRunner: {{- toYaml . | nindent 2 }}
{{- end }}
{{- end -}}
{{- end }}

{{- /* Where the API server is for Macs: as said, or as the cluster says of itself. */ -}}
{{- define "macfleet.apiServerURL" -}}
{{- if .Values.macosFleet.apiServerURL -}}
{{ .Values.macosFleet.apiServerURL }}
{{- else -}}
{{- $info := lookup "v1" "ConfigMap" "kube-public" "cluster-info" -}}
{{- $server := "" -}}
{{- range (dig "data" "kubeconfig" "" $info | fromYaml | default dict).clusters -}}
{{- $server = $server | default .cluster.server -}}
{{- end -}}
{{ $server }}
{{- end -}}
{{- end }}
