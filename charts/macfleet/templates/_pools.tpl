{{- /* (dict "root" $ "name" … "image" … "dispatchLabel" … "cpu" … "memory" … "own" …): one pool, as YAML. Replicas of an autoscaled one are the controller's alone. */ -}}
{{- define "macfleet.pool" -}}
{{- $own := .own }}{{ $fleet := .root.Values.runnersFleet }}
{{- $idle := $own.idleTimeoutSeconds }}
{{- if kindIs "invalid" $idle }}{{ $idle = $fleet.idleTimeoutSeconds }}{{ end -}}
- name: {{ printf "%s-runner-pool-%s" (include "macfleet.fullname" .root) .name | quote }}
  labels: {{- toYaml .labels | nindent 4 }}
  spec:
    os: darwin
    image: {{ .image | quote }}
    fleetSelector: {{ $fleet.name | default (printf "%s-runners-fleet" (include "macfleet.fullname" .root)) | quote }}
    dispatchLabel: {{ .dispatchLabel | quote }}
    runnerLabels: {{- toYaml ($own.runnerLabels | default (list "self-hosted" "macOS" "ARM64")) | nindent 6 }}
    {{- if not (dig "enabled" false ($own.autoscaling | default dict)) }}
    replicas: {{ $own.replicas | default 0 | int }}
    {{- end }}
    podCPUMilli: {{ dig "cpuMilli" .cpu ($own.pod | default dict) | int }}
    podMemoryMB: {{ dig "memoryMB" .memory ($own.pod | default dict) | int }}
    {{- if $own.autoscaling }}
    autoscaling: {{- toYaml (merge (dict) $own.autoscaling (dict "enabled" false "minWarmPoolFloor" 1 "maxReplicas" 0 "scaleDownCooldownSeconds" 300)) | nindent 6 }}
    {{- end }}
    {{- if $own.rollout }}
    rollout: {{- toYaml (merge (dict) $own.rollout (dict "maxConcurrentPercent" 5)) | nindent 6 }}
    {{- end }}
    {{- if gt (int $idle) 0 }}
    idleTimeoutSeconds: {{ $idle | int }}
    {{- end }}
{{ end }}

{{- /* The size of runners that do not say theirs. */ -}}
{{- define "macfleet.defaultShape" -}}
{{- $shape := dict "vcpus" 8 "memoryGb" 14 -}}
{{- range .Values.runnersFleet.shapes }}{{ if .default }}{{ $shape = . }}{{ end }}{{ end -}}
{{ toYaml $shape }}
{{- end }}

{{- define "macfleet.pools" -}}
{{- $root := . }}{{ $fleet := .Values.runnersFleet }}
{{- range $fleet.pools }}
{{ include "macfleet.pool" (dict "root" $root "name" .name "image" .runnerImage "dispatchLabel" .dispatchLabel "cpu" 8000 "memory" 14336 "own" . "labels" dict) }}
{{- end }}
{{- $shape := include "macfleet.defaultShape" . | fromYaml }}
{{- range $fleet.xcodeVersions }}
{{- $entry := . }}{{ if kindIs "string" . }}{{ $entry = dict "version" . }}{{ end }}
{{- $dashes := $entry.version | replace "." "-" }}
{{- $own := get $fleet.xcodeOverrides $entry.version | default dict }}
{{- $name := printf "macos-%s" $dashes }}
{{- $tag := $own.imageTag | default (printf "macos-%s-%s" $dashes $fleet.runnerImageSemver) }}
{{- $labels := dict "tuist.dev/xcode-version" $entry.version }}
{{- if $entry.default }}{{ $_ := set $labels "tuist.dev/xcode-default" "true" }}{{ end }}
{{ include "macfleet.pool" (dict "root" $root "name" $name "image" (printf "%s:%s" $fleet.runnerImageRepository $tag) "dispatchLabel" (printf "shape-%s" $name) "cpu" (mul $shape.vcpus 1000) "memory" (mul $shape.memoryGb 1024) "own" $own "labels" $labels) }}
{{- end }}
{{- end }}
