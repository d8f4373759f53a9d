// Pins what `npm run cluster:build` makes helm of.
module macfleet.invalid/cluster/helm

go 1.26.0

require helm.sh/helm/v4 v4.2.4
