// Scaleway's official Go SDK, and the program on it that judges the simulated cloud.
module macfleet.invalid/cluster/scaleway-sdk

go 1.26.0

require github.com/scaleway/scaleway-sdk-go v1.0.0-beta.37

require gopkg.in/yaml.v2 v2.4.0 // indirect
