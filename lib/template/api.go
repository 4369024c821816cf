package template

// readAPI reads an HTTP API of API Gateway.
func readAPI(common Resource, in reader) API {
	api := API{Resource: common, OnlyByDomain: in.flag("DisableExecuteApiEndpoint")}
	in.text("Description")
	in.only("StageName", "$default")
	in.only("FailOnWarnings", "true")
	in.within("DefaultRouteSettings", func(in reader) {
		api.RatePerSecond, api.Burst = in.number("ThrottlingRateLimit", 0), in.number("ThrottlingBurstLimit", 0)
		in.flag("DetailedMetricsEnabled")
	})
	in.within("AccessLogSettings", func(in reader) {
		api.AccessLogs, api.AccessLog = in.required("DestinationArn"), in.required("Format")
	})
	in.within("Domain", func(in reader) {
		api.Domain, api.Certificate = in.required("DomainName"), in.required("CertificateArn")
		in.only("EndpointConfiguration", "REGIONAL")
		api.SecurityPolicy = in.required("SecurityPolicy")
		in.within("MutualTlsAuthentication", func(in reader) { api.Truststore = in.required("TruststoreUri") })
	})
	return api
}
