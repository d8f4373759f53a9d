// Pins what `npm run cluster:build` makes gitleaks of.
module macfleet.invalid/cluster/gitleaks

go 1.26.0

require github.com/zricethezav/gitleaks/v8 v8.30.1
