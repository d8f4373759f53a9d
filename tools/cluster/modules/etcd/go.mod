// Pins what `npm run cluster:build` makes etcd of.
module macfleet.invalid/cluster/etcd

go 1.26

require go.etcd.io/etcd/server/v3 v3.6.14
