package money

// decimals are the exponents that ISO 4217 gives, or gave, to the codes of all
// currencies that a bet was ever accepted in, or may have been. A currency that is
// withdrawn stays: its old bets, log entries and pages are read as before.
var decimals = map[uint8]string{
	0: `BIF CLP DJF GNF ISK JPY KMF KRW PYG RWF UGX UYI VND VUV XAF XOF XPF`,
	2: `AED AFN ALL AMD ANG AOA ARS AUD AWG AZN BAM BBD BDT BGN BMD BND BOB BOV BRL BSD BTN BWP BYN BZD CAD CDF CHE
		CHF CHW CNY COP COU CRC CUC CUP CVE CZK DKK DOP DZD EGP ERN ETB EUR FJD FKP GBP GEL GHS GIP GMD GTQ GYD HKD
		HNL HRK HTG HUF IDR ILS INR IRR JMD KES KGS KHR KPW KYD KZT LAK LBP LKR LRD LSL MAD MDL MGA MKD MMK MNT MOP
		MRU MUR MVR MWK MXN MXV MYR MZN NAD NGN NIO NOK NPR NZD PAB PEN PGK PHP PKR PLN QAR RON RSD RUB SAR SBD SCR
		SDG SEK SGD SHP SLE SLL SOS SRD SSP STN SVC SYP SZL THB TJS TMT TOP TRY TTD TWD TZS UAH USD USN UYU UZS VED
		VES WST XAD XCD XCG YER ZAR ZMW ZWG ZWL`,
	3: `BHD IQD JOD KWD LYD OMR TND`,
	4: `CLF UYW`,
}

// withdrawn are those of them that are no longer in ISO 4217.
const withdrawn = "ANG BGN CUC HRK SLL ZWL"
