// Pins what `npm run cluster:build` makes Cluster API core and clusterctl of.
// The modules of Cluster API require each other in a version that does not exist, hence the replacements.
module macfleet.invalid/cluster/cluster-api

go 1.26.0

require (
	sigs.k8s.io/cluster-api v1.14.1
	sigs.k8s.io/cluster-api/api v1.14.1
)

replace (
	sigs.k8s.io/cluster-api => sigs.k8s.io/cluster-api v1.14.1
	sigs.k8s.io/cluster-api/api => sigs.k8s.io/cluster-api/api v1.14.1
)
