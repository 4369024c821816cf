package samtemplate

// Site is a distribution of CloudFront.
type Site struct {
	Resource
	Aliases     []string // empty for the address that CloudFront gives it
	Certificate string
	Protocol    string // the least version of TLS; empty with CloudFront's own certificate
	HTTP        string // versions
	PriceClass  string
	Root        string // the file at /
	AccessLogs  string // the bucket's domain; empty for none
	Origins     []Origin
	Default     Behaviour
	Behaviours  []Behaviour
	Errors      []ErrorPage
}

// Origin is where a site's files are.
type Origin struct {
	ID     string
	Domain string
	Access string // the origin access control by which it is read
}

// Behaviour is what becomes of requests for some paths.
type Behaviour struct {
	Pattern   string // empty for all others
	Origin    string
	Viewers   string // whether they have to use TLS
	Methods   []string
	Compress  bool
	Caching   string            // the policy's id
	Headers   string            // the policy's id
	Functions map[string]string // ARNs by event
}

// ErrorPage is what readers get in the place of an error of an origin.
type ErrorPage struct {
	Of, Answer int
	Page       string
	Seconds    int // for which it is kept
}

// Headers are a policy of headers that CloudFront adds to answers.
type Headers struct {
	Resource
	Values  map[string]string
	Origins []string // whose scripts may read the answers
	Methods []string // with which
}

// EdgeFunction is a function of CloudFront itself.
type EdgeFunction struct {
	Resource
	Runtime string
	Code    string
}

func readSite(common Resource, in reader) (site Site) {
	site.Resource = common
	in.within("DistributionConfig", func(in reader) {
		in.required("Comment")
		in.only("Enabled", "true")
		in.only("IPV6Enabled", "true")
		site.HTTP, site.PriceClass, site.Root = in.required("HttpVersion"), in.required("PriceClass"), in.required("DefaultRootObject")
		site.Aliases = in.texts("Aliases")
		in.within("ViewerCertificate", func(in reader) {
			if in.flag("CloudFrontDefaultCertificate") {
				return
			}
			site.Certificate, site.Protocol = in.required("AcmCertificateArn"), in.required("MinimumProtocolVersion")
			in.only("SslSupportMethod", "sni-only")
		})
		in.within("Logging", func(in reader) {
			site.AccessLogs = in.required("Bucket")
			in.only("IncludeCookies", "false")
			in.text("Prefix")
		})
		in.items("Origins", func(in reader) {
			site.Origins = append(site.Origins, Origin{in.required("Id"), in.required("DomainName"), in.required("OriginAccessControlId")})
			in.within("S3OriginConfig", func(in reader) { in.only("OriginAccessIdentity", "") })
		})
		in.within("DefaultCacheBehavior", func(in reader) { site.Default = readBehaviour(in) })
		in.items("CacheBehaviors", func(in reader) {
			pattern := in.required("PathPattern")
			behaviour := readBehaviour(in)
			behaviour.Pattern = pattern
			site.Behaviours = append(site.Behaviours, behaviour)
		})
		in.items("CustomErrorResponses", func(in reader) {
			site.Errors = append(site.Errors, ErrorPage{in.number("ErrorCode", 0), in.number("ResponseCode", 0), in.required("ResponsePagePath"), in.number("ErrorCachingMinTTL", 10)})
		})
	})
	return site
}

func readBehaviour(in reader) Behaviour {
	b := Behaviour{Origin: in.required("TargetOriginId"), Viewers: in.required("ViewerProtocolPolicy"), Methods: in.texts("AllowedMethods"),
		Compress: in.flag("Compress"), Caching: in.required("CachePolicyId"), Headers: in.required("ResponseHeadersPolicyId"), Functions: map[string]string{}}
	in.items("FunctionAssociations", func(in reader) { b.Functions[in.required("EventType")] = in.required("FunctionARN") })
	return b
}

// readOriginAccess reads how CloudFront signs its requests to a bucket.
func readOriginAccess(in reader) {
	in.within("OriginAccessControlConfig", func(in reader) {
		in.required("Name")
		in.only("OriginAccessControlOriginType", "s3")
		in.only("SigningBehavior", "always")
		in.only("SigningProtocol", "sigv4")
	})
}

func readEdgeFunction(common Resource, in reader) EdgeFunction {
	f := EdgeFunction{Resource: common, Code: in.required("FunctionCode")}
	in.only("AutoPublish", "true")
	in.within("FunctionConfig", func(in reader) {
		in.required("Comment")
		f.Runtime = in.required("Runtime")
	})
	return f
}

// readHeaders reads headers under the names that readers see.
func readHeaders(common Resource, in reader) Headers {
	h := Headers{Resource: common, Values: map[string]string{}}
	in.within("ResponseHeadersPolicyConfig", func(in reader) {
		in.required("Name")
		in.within("CorsConfig", func(in reader) {
			in.only("AccessControlAllowCredentials", "false")
			in.only("OriginOverride", "true")
			in.within("AccessControlAllowHeaders", func(in reader) { in.texts("Items") })
			in.within("AccessControlAllowMethods", func(in reader) { h.Methods = in.texts("Items") })
			in.within("AccessControlAllowOrigins", func(in reader) { h.Origins = in.texts("Items") })
		})
		in.within("SecurityHeadersConfig", h.readSecurity)
		in.within("CustomHeadersConfig", func(in reader) {
			in.items("Items", func(in reader) {
				in.only("Override", "true")
				h.Values[in.required("Header")] = in.required("Value")
			})
		})
	})
	return h
}

func (h *Headers) readSecurity(in reader) {
	header := func(name string, read func(reader) (header, value string)) {
		in.within(name, func(in reader) {
			in.only("Override", "true")
			header, value := read(in)
			h.Values[header] = value
		})
	}
	header("ContentSecurityPolicy", func(in reader) (string, string) {
		return "Content-Security-Policy", in.required("ContentSecurityPolicy")
	})
	header("ContentTypeOptions", func(reader) (string, string) { return "X-Content-Type-Options", "nosniff" })
	header("FrameOptions", func(in reader) (string, string) { return "X-Frame-Options", in.required("FrameOption") })
	header("ReferrerPolicy", func(in reader) (string, string) { return "Referrer-Policy", in.required("ReferrerPolicy") })
	header("StrictTransportSecurity", func(in reader) (string, string) {
		value := "max-age=" + in.required("AccessControlMaxAgeSec")
		if in.flag("IncludeSubdomains") {
			value += "; includeSubDomains"
		}
		return "Strict-Transport-Security", value
	})
}
