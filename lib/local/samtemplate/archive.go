package samtemplate

import (
	"fmt"
	"strings"
)

// bucket reads a bucket.
func (e *evaluator) bucket(common Resource, in reader) Bucket {
	bucket := Bucket{Resource: common, ARN: kinds[kindBucket].arn(e.env, common.Name), Locked: in.flag("ObjectLockEnabled")}
	in.within("VersioningConfiguration", func(in reader) { bucket.Versioned = in.text("Status") == "Enabled" })
	in.within("BucketEncryption", func(in reader) {
		in.items("ServerSideEncryptionConfiguration", func(in reader) {
			in.within("ServerSideEncryptionByDefault", func(in reader) {
				in.only("SSEAlgorithm", "AES256")
				bucket.Encrypted = true
			})
		})
	})
	in.within("ObjectLockConfiguration", func(in reader) {
		in.only("ObjectLockEnabled", "Enabled")
		in.within("Rule", func(in reader) {
			in.within("DefaultRetention", func(in reader) {
				bucket.RetentionMode, bucket.RetentionDays = in.required("Mode"), in.number("Days", 0)
			})
		})
	})
	in.within("OwnershipControls", func(in reader) {
		in.items("Rules", func(in reader) { bucket.OwnerEnforced = in.text("ObjectOwnership") == "BucketOwnerEnforced" })
	})
	in.within("PublicAccessBlockConfiguration", func(in reader) {
		bucket.Closed = true
		for _, name := range []string{"BlockPublicAcls", "BlockPublicPolicy", "IgnorePublicAcls", "RestrictPublicBuckets"} {
			bucket.Closed = in.flag(name) && bucket.Closed
		}
	})
	return bucket
}

func readBucketPolicy(common Resource, in reader) BucketPolicy {
	policy := BucketPolicy{Resource: common, Bucket: in.required("Bucket")}
	in.within("PolicyDocument", func(in reader) { policy.Statements = readDocument(in) })
	return policy
}

// key reads a key of KMS.
func (e *evaluator) key(common Resource, in reader) Key {
	key := Key{Resource: common, ARN: kinds[kindKey].arn(e.env, common.Name), Spec: in.required("KeySpec"), Usage: in.required("KeyUsage")}
	in.required("Description")
	in.within("KeyPolicy", func(in reader) { key.Statements = readDocument(in) })
	return key
}

// readResourcePolicy reads what a statement about a resource has more than one
// about a role: who, and under which conditions.
func readResourcePolicy(in reader, statement *Statement) {
	if who, present := in.take("Principal"); present {
		if everyone, is := who.(string); is {
			statement.Principal = everyone
		} else {
			in.sub("Principal", who, func(in reader) {
				// An account or a role, or one of AWS's own services.
				if statement.Principal = in.text("AWS") + in.text("Service"); statement.Principal == "" {
					in.fault("", "names nobody")
				}
			})
		}
	}
	in.within("Condition", func(in reader) {
		statement.Unless = map[string]string{}
		in.each(func(operator string, in reader) {
			for _, key := range in.object.names {
				statement.Unless[fmt.Sprintf("%s %s", operator, key)] = strings.Join(in.texts(key), " ")
			}
		})
	})
}
