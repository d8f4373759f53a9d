// Pins what `npm run cluster:build` makes kubeconform of.
module macfleet.invalid/cluster/kubeconform

go 1.26.0

require github.com/yannh/kubeconform v0.8.0
