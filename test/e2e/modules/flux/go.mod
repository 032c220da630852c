// A stand-in for Flux, for pods of the test cluster.
module fluxhook/test/e2e/modules/flux

go 1.26
