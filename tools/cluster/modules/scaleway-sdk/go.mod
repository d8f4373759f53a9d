// Pins Scaleway's official Go SDK, which the program in test/contract/scaleway/go is built on.
module macfleet.invalid/cluster/scaleway-sdk

go 1.26.0

require github.com/scaleway/scaleway-sdk-go v1.0.0-beta.37

require gopkg.in/yaml.v2 v2.4.0 // indirect
