{{- /* Everything that can be known to be wrong before anything is created, as a sentence that says what to do. */ -}}
{{- define "macfleet.validate" -}}
{{- include "macfleet.validateCluster" . }}
{{- include "macfleet.refuseOriginals" . }}
{{- include "macfleet.validateNames" . }}
{{- include "macfleet.validateImage" . }}
{{- include "macfleet.validateFleets" . }}
{{- include "macfleet.validateRunners" . }}
{{- include "macfleet.validateScaleway" . }}
{{- end }}

{{- /* Gives "yes" when Helm speaks to a cluster: with "helm template" it does not, and nothing can be looked up. */ -}}
{{- define "macfleet.isLive" -}}
{{- if lookup "v1" "Namespace" "" "kube-system" }}yes{{ end }}
{{- end }}

{{- define "macfleet.validateCluster" -}}
{{- if include "macfleet.isLive" . }}
{{- if not (.Capabilities.APIVersions.Has "cluster.x-k8s.io/v1beta2") }}
{{- if .Capabilities.APIVersions.Has "cluster.x-k8s.io/v1beta1" }}
{{- fail "This cluster has a Cluster API core without contract v1beta2. Upgrade it to 1.11 or later: clusterctl upgrade apply --contract v1beta2." }}
{{- end }}
{{- fail "This cluster has no Cluster API core. Install 1.11 or later first, without any other provider: clusterctl init --bootstrap - --control-plane -" }}
{{- end }}
{{- $role := lookup "rbac.authorization.k8s.io/v1" "ClusterRole" "" "macfleet-manager" }}
{{- $by := dig "metadata" "annotations" dict $role }}
{{- $release := get $by "meta.helm.sh/release-name" }}
{{- $namespace := get $by "meta.helm.sh/release-namespace" }}
{{- if and $release (or (ne $release .Release.Name) (ne $namespace .Release.Namespace)) }}
{{- fail (printf "Macfleet is already installed in this cluster, as release %s in namespace %s. One manager works for all namespaces: put the fleets of both into one release, or uninstall the other." $release $namespace) }}
{{- end }}
{{- end }}
{{- end }}

{{- /* The longest name is that of a Node: <fullname>-builders-fleet-<5>-<5>, and a Node's name is a label of at most 63. */ -}}
{{- define "macfleet.validateNames" -}}
{{- $full := include "macfleet.fullname" . }}
{{- if gt (len $full) 36 }}
{{- fail (printf "The name %s has %d characters, and 36 are the most: Macs and their Nodes are named after it. Choose a shorter name for the release, or say fullnameOverride." $full (len $full)) }}
{{- end }}
{{- $names := list }}
{{- range include "macfleet.fleets" . | fromYamlArray }}
{{- if gt (len .name) 51 }}
{{- fail (printf "%s.name has %d characters, and 51 are the most: Macs and their Nodes are named after it." .key (len .name)) }}
{{- end }}
{{- if not (regexMatch "^[a-z]([-a-z0-9]*[a-z0-9])?$" .name) }}
{{- fail (printf "%s.name %q is no name of Kubernetes: small letters, digits and dashes, beginning with a letter." .key .name) }}
{{- end }}
{{- if has .name $names }}
{{- fail (printf "Two fleets are called %s. Each needs a name of its own: it is also that of its SSH key." .name) }}
{{- end }}
{{- $names = append $names .name }}
{{- end }}
{{- end }}

{{- define "macfleet.validateImage" -}}
{{- if not (or .Values.image.repository .Values.macosFleet.image.repository) }}
{{- fail "image.repository is not set. No image is published: build it with \"npm run build:image\", push it to a registry that the cluster can reach, and say where." }}
{{- end }}
{{- if and .Values.runnersFleet.enabled (not (or .Values.image.repository .Values.runnersController.image.repository)) }}
{{- fail "runnersController.image.repository is not set, and neither is image.repository, which would do for both controllers." }}
{{- end }}
{{- range list .Values.macosFleet.image.repository .Values.runnersController.image.repository }}
{{- if regexMatch "/(capi-provider-scaleway-applesilicon|tuist-runners-controller)$" . }}
{{- fail (printf "%s is the image of the Go original, which does not know our flags. Leave macosFleet.image and runnersController.image out, and say image.repository." .) }}
{{- end }}
{{- end }}
{{- end }}

{{- define "macfleet.validateFleets" -}}
{{- $ordered := 0 }}{{ $asking := list }}{{ $prefixes := list }}
{{- range include "macfleet.fleets" . | fromYamlArray }}
{{- if eq .machine.acquire "order" }}
{{- $ordered = add $ordered (.replicas | default 0) }}{{ $asking = append $asking .key }}
{{- else if not .prefix }}
{{- fail (printf "%s.adoptPoolPrefix is empty, so that no Mac could be adopted. Say how the names of free Macs begin, for example tuist-pool-." .key) }}
{{- else }}
{{- $prefixes = append $prefixes .prefix }}
{{- end }}
{{- if regexMatch "^tuist-(claim-pending|releasing|quarantine|ordered)-" .prefix }}
{{- fail (printf "%s.adoptPoolPrefix %q is a name that the manager gives to Macs itself. Choose another prefix, for example tuist-pool-." .key .prefix) }}
{{- end }}
{{- if or (contains "." .machine.os) (regexMatch "^[0-9]" .machine.os) }}
{{- fail (printf "%s.machine.os %q is an image or a version. Say a release family, for example Tahoe: Macs get its newest image." .key .machine.os) }}
{{- end }}
{{- end }}
{{- if gt $ordered (int .Values.manager.maxOrderedHosts) }}
{{- fail (printf "%s would rent %d Macs, and the spend guard manager.maxOrderedHosts allows %d. Raise it, ask for fewer, or adopt from a pool (machine.acquire: pool)." (join " and " $asking) $ordered (int .Values.manager.maxOrderedHosts)) }}
{{- end }}
{{- if and (gt $ordered 0) (eq (int .Values.manager.maxOrdersPerDay) 0) }}
{{- fail (printf "%s would rent Macs, and the spend guard manager.maxOrdersPerDay is 0: nothing would ever be ordered. Say how many a day." (join " and " $asking)) }}
{{- end }}
{{- range $one := uniq $prefixes }}
{{- range $other := uniq $prefixes }}
{{- if and (ne $one $other) (hasPrefix $one $other) }}
{{- fail (printf "The pool prefix %q begins with another one, %q: by its name a Mac could be of either pool. Choose prefixes of which none begins with another." $other $one) }}
{{- end }}
{{- end }}
{{- end }}
{{- end }}

{{- define "macfleet.validateRunners" -}}
{{- if .Values.runnersFleet.enabled }}
{{- if not (include "macfleet.serverUrl" (list . "/dispatch" "dispatchUrl")) }}
{{- fail "runnersFleet.enabled needs to know where runners ask for jobs: say server.appUrl, or runnersController.dispatchUrl." }}
{{- end }}
{{- if and .Values.runnersFleet.xcodeVersions (not .Values.runnersFleet.runnerImageSemver) }}
{{- range .Values.runnersFleet.xcodeVersions }}
{{- $version := . }}{{ if not (kindIs "string" .) }}{{ $version = .version }}{{ end }}
{{- if not (dig $version "imageTag" "" $.Values.runnersFleet.xcodeOverrides) }}
{{- fail (printf "runnersFleet.xcodeVersions has %s, and runnersFleet.runnerImageSemver does not say which version of its image. Say it, or xcodeOverrides.%s.imageTag." $version $version) }}
{{- end }}
{{- end }}
{{- end }}
{{- $names := list }}
{{- range include "macfleet.pools" . | fromYamlArray }}
{{- if gt (len .name) 63 }}
{{- fail (printf "The pool %s has %d characters in its name, and 63 are the most. Give it a shorter name." .name (len .name)) }}
{{- end }}
{{- if has .name $names }}
{{- fail (printf "Two pools are called %s. Each needs a name of its own." .name) }}
{{- end }}
{{- $names = append $names .name }}
{{- end }}
{{- if not $names }}
{{- fail "runnersFleet.enabled has no pool: say runnersFleet.pools or runnersFleet.xcodeVersions." }}
{{- end }}
{{- end }}
{{- end }}

{{- define "macfleet.validateScaleway" -}}
{{- if not .Values.simulation.macs }}
{{- include "macfleet.validateCredentials" . }}
{{- if and (include "macfleet.isLive" .) (not (include "macfleet.apiServerURL" .)) }}
{{- fail "macosFleet.apiServerURL is not set, and this cluster does not say its public address (there is no kube-public/cluster-info). Macs are outside of the cluster: say where they reach the API server, for example https://api.example.com:6443." }}
{{- end }}
{{- with include "macfleet.apiServerURL" . }}
{{- if not (regexMatch "^https://[^/ ]+/?$" .) }}
{{- fail (printf "macosFleet.apiServerURL %q is no address of an API server. Say it like https://api.example.com:6443." .) }}
{{- end }}
{{- end }}
{{- end }}
{{- end }}

{{- define "macfleet.validateCredentials" -}}
{{- $uuid := "^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$" }}
{{- $name := include "macfleet.scalewaySecret" . }}
{{- with .Values.macosFleet.scaleway }}
{{- if or .credentials.accessKey .credentials.secretKey .credentials.projectId }}
{{- if .secretName }}
{{- fail "macosFleet.scaleway has both secretName and credentials. Say where the key is, or the key, not both." }}
{{- end }}
{{- if not (regexMatch "^SCW[A-Z0-9]{17}$" .credentials.accessKey) }}
{{- fail "macosFleet.scaleway.credentials.accessKey is no access key of Scaleway: it is SCW and 17 capital letters or digits." }}
{{- end }}
{{- if not (regexMatch $uuid .credentials.secretKey) }}
{{- fail "macosFleet.scaleway.credentials.secretKey is no secret key of Scaleway: it is a UUID. (It is not shown here.)" }}
{{- end }}
{{- if not (regexMatch $uuid .credentials.projectId) }}
{{- fail "macosFleet.scaleway.credentials.projectId is no project of Scaleway: it is a UUID." }}
{{- end }}
{{- else if and (not .externalSecrets.enabled) (include "macfleet.isLive" $) }}
{{- $secret := lookup "v1" "Secret" $.Release.Namespace $name }}
{{- $make := printf "kubectl -n %s create secret generic %s --from-literal=access-key=… --from-literal=secret-key=… --from-literal=project-id=…" $.Release.Namespace $name }}
{{- if not $secret }}
{{- fail (printf "There is no Secret %s in namespace %s with the key of the Scaleway project. Create it: %s. Or say macosFleet.scaleway.secretName, .credentials or .externalSecrets." $name $.Release.Namespace $make) }}
{{- end }}
{{- range list "access-key" "secret-key" "project-id" }}
{{- if not (get ($secret.data | default dict) .) }}
{{- fail (printf "The Secret %s in namespace %s has no %s. It needs access-key, secret-key and project-id." $name $.Release.Namespace .) }}
{{- end }}
{{- end }}
{{- end }}
{{- end }}
{{- end }}
