package samtemplate

// defaultStage is the one stage that an API has.
const defaultStage = "$default"

// readAPI reads an HTTP API of API Gateway.
func readAPI(common Resource, in reader) API {
	api := API{Resource: common, OnlyByDomain: in.flag("DisableExecuteApiEndpoint")}
	in.text("Description")
	in.only("StageName", defaultStage)
	in.only("FailOnWarnings", "true")
	in.within("DefaultRouteSettings", func(in reader) {
		api.RatePerSecond, api.Burst = in.number("ThrottlingRateLimit", 0), in.number("ThrottlingBurstLimit", 0)
		in.flag("DetailedMetricsEnabled")
	})
	in.within("AccessLogSettings", func(in reader) {
		api.AccessLogs, api.AccessLog = in.required("DestinationArn"), in.required("Format")
	})
	return api
}

// readDomain reads a domain of an API.
func readDomain(common Resource, in reader) Domain {
	domain := Domain{Resource: common}
	in.items("DomainNameConfigurations", func(in reader) {
		domain.Certificate, domain.SecurityPolicy = in.required("CertificateArn"), in.required("SecurityPolicy")
		in.only("EndpointType", "REGIONAL")
	})
	in.within("MutualTlsAuthentication", func(in reader) { domain.Truststore = in.required("TruststoreUri") })
	return domain
}

// readMapping reads which API answers at a domain, which stands before it.
func readMapping(domains []Domain, in reader) {
	api, name := in.required("ApiId"), in.required("DomainName")
	in.only("Stage", defaultStage)
	for i := range domains {
		if domains[i].Name == name {
			domains[i].API = api
			return
		}
	}
	in.fault("DomainName", "is %q; no domain of that name stands before it", name)
}
