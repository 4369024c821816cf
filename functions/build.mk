# How the Lambdas are built. Included by the Makefile, which `sam build` calls.

functions: ## build the Lambdas for AWS into build/functions
	@for name in $(patsubst functions/%/main.go,%,$(wildcard functions/*/main.go)); do \
		$(MAKE) build-$${name}Function ARTIFACTS_DIR=build/functions/$$name; done

# build-XFunction puts the function X of template.yaml, whose main package is
# functions/x, into ARTIFACTS_DIR. There are no prerequisites: Go's cache knows
# what has changed, here or under lib/. Paths and version control leave no trace,
# so that the same sources give the same bytes.
build-%Function:
	CGO_ENABLED=0 GOOS=linux GOARCH=arm64 go build -tags lambda.norpc -trimpath -buildvcs=false -ldflags '-s -w' \
		-o "$(ARTIFACTS_DIR)/bootstrap" ./functions/$(shell echo '$*' | tr '[:upper:]' '[:lower:]')
