"""Starts the server of moto with what providers need of AWS, and moto 5.2.5 lacks, put in front or mended.

    python moto_for_tests.py PORT

Only these differ from `moto_server`; everything else is moto's own, as it came:

- Accounts: a path may begin with /accounts/<12 digits>. It is taken off and becomes the header by which moto itself
  tells accounts apart (x-moto-account-id), so that each test has an account of its own: to empty one takes seconds.
- Access entries of EKS (CreateAccessEntry, DescribeAccessEntry, DeleteAccessEntry, AssociateAccessPolicy and
  ListAssociatedAccessPolicies), which moto answers with a 404 of HTML: they are kept here, with the cluster that moto has.
  Any principal will do: whoever calls is arn:aws:sts::<account>:user/moto in moto, which AWS would not take.
- CreateVpc with DryRun, which makes a VPC in moto: it is answered with DryRunOperation, as moto does for other calls.
- NAT gateways: their interfaces are described, used and deleted with them as those of AWS are; moto has them free for ever.
- DescribeTags: moto ignores the filter tag:<key>, and tells tags of things that it has deleted.
"""

import json
import re
import sys
from urllib.parse import unquote
from weakref import WeakKeyDictionary

from moto.backends import get_backend
from moto.core import DEFAULT_ACCOUNT_ID
from moto.ec2.models import EC2Backend
from moto.ec2.responses.vpcs import VPCs
from moto.eks.models import eks_backends
from moto.moto_server.werkzeug_app import DomainDispatcherApplication, MotoRequestHandler, create_backend_app
from werkzeug.serving import make_server

ACCOUNT = re.compile(r"/accounts/(\d{12})(/.*)?")
SIGNED_FOR_EKS = re.compile(r"Credential=[^/]+/\d+/([^/]+)/eks/")
ACCESS_ENTRIES = re.compile(r"/clusters/([^/]+)/access-entries(?:/(.+?)(/access-policies)?)?")


class Refusal(Exception):
    def __init__(self, status, code, message):
        super().__init__(message)
        self.status, self.code = status, code


class AccessEntries:
    """They go with their cluster, as it is the key."""

    def __init__(self):
        self.of_cluster = WeakKeyDictionary()

    def answer(self, method, cluster, principal, about_policies, body):
        entries = self.of_cluster.setdefault(cluster, {})
        if principal is None:
            return self.create(entries, cluster, body)
        if principal not in entries:
            raise Refusal(404, "ResourceNotFoundException", "The specified principalArn could not be found.")
        entry, policies = entries[principal]
        if about_policies and method == "POST":
            policies.add(body["policyArn"])
            return {"clusterName": cluster.name, "principalArn": principal}
        if about_policies:
            return {"associatedAccessPolicies": [{"policyArn": arn} for arn in sorted(policies)]}
        if method == "DELETE":
            del entries[principal]
            return {}
        return {"accessEntry": entry}

    def create(self, entries, cluster, body):
        principal = body["principalArn"]
        if principal in entries:
            raise Refusal(409, "ResourceInUseException", "The specified access entry resource is already in use")
        entry = {"clusterName": cluster.name, "principalArn": principal, "tags": body.get("tags", {}), "type": "STANDARD"}
        entries[principal] = (entry, set())
        return {"accessEntry": entry}


class Quiet(MotoRequestHandler):
    """Thousands of lines, one for each call, would hide what moto says when something is wrong."""

    def log_request(self, code="-", size="-"):
        pass


class InFront:
    def __init__(self, moto):
        self.moto = moto
        self.access_entries = AccessEntries()

    def __call__(self, environ, start_response):
        found = ACCOUNT.fullmatch(environ["PATH_INFO"])
        if found is not None:
            environ["HTTP_X_MOTO_ACCOUNT_ID"] = found[1]
            prefix = len(f"/accounts/{found[1]}")
            for name in ("PATH_INFO", "REQUEST_URI", "RAW_URI"):
                environ[name] = environ[name][prefix:] or "/"
        of_eks = SIGNED_FOR_EKS.search(environ.get("HTTP_AUTHORIZATION", ""))
        entry = ACCESS_ENTRIES.fullmatch(environ["PATH_INFO"])
        if of_eks is None or entry is None:
            return self.moto(environ, start_response)
        account = DEFAULT_ACCOUNT_ID if found is None else found[1]
        return self.answer(environ, start_response, eks_backends[account][of_eks[1]], entry)

    def answer(self, environ, start_response, backend, entry):
        body = environ["wsgi.input"].read(int(environ.get("CONTENT_LENGTH") or 0))
        try:
            if entry[1] not in backend.clusters:
                raise Refusal(404, "ResourceNotFoundException", f"No cluster found for name: {entry[1]}.")
            cluster = backend.clusters[entry[1]]
            principal = None if entry[2] is None else unquote(entry[2])
            answer = self.access_entries.answer(
                environ["REQUEST_METHOD"], cluster, principal, entry[3] is not None, json.loads(body or b"{}")
            )
            status, headers = "200 OK", []
        except Refusal as refusal:
            answer = {"message": str(refusal)}
            status, headers = f"{refusal.status} Refused", [("x-amzn-errortype", refusal.code)]
        start_response(status, [("content-type", "application/json"), *headers])
        return [json.dumps(answer).encode()]


def mend_dry_run():
    create_vpc = VPCs.create_vpc

    def with_dry_run(self):
        self.error_on_dryrun()
        return create_vpc(self)

    VPCs.create_vpc = with_dry_run


def mend_nat_gateways():
    create, delete = EC2Backend.create_nat_gateway, EC2Backend.delete_nat_gateway

    def create_with_interface(self, *args, **kwargs):
        gateway = create(self, *args, **kwargs)
        gateway._eni.description = f"Interface for NAT Gateway {gateway.id}"
        gateway._eni.status = "in-use"
        return gateway

    def delete_with_interface(self, nat_gateway_id):
        gateway = delete(self, nat_gateway_id)
        self.enis.pop(gateway._eni.id, None)
        return gateway

    EC2Backend.create_nat_gateway = create_with_interface
    EC2Backend.delete_nat_gateway = delete_with_interface


def mend_tags():
    describe_tags = EC2Backend.describe_tags

    def of_living_things(self, filters=None):
        wanted = {name[len("tag:") :]: values for name, values in (filters or {}).items() if name.startswith("tag:")}
        there = ids_of(self)
        return [
            tag
            for tag in describe_tags(self, filters=filters)
            if tag["resource_id"] in there
            and all(self.tags[tag["resource_id"]].get(key) in values for key, values in wanted.items())
        ]

    EC2Backend.describe_tags = of_living_things


def ids_of(backend):
    """Of everything that a provider tags. NAT gateways are seen in AWS, too, for a while after they were deleted."""
    return {
        *backend.vpcs,
        *(subnet for subnets in backend.subnets.values() for subnet in subnets),
        *backend.internet_gateways,
        *backend.nat_gateways,
        *backend.route_tables,
        *(address.allocation_id for address in backend.addresses),
    }


def main():
    mend_dry_run()
    mend_nat_gateways()
    mend_tags()
    # Loaded now and not with the first call, which would take seconds.
    for service in ("sts", "iam", "ec2", "eks"):
        get_backend(service)
    app = InFront(DomainDispatcherApplication(create_backend_app))
    server = make_server("127.0.0.1", int(sys.argv[1]), app, threaded=True, request_handler=Quiet)
    print("Ready", flush=True)
    server.serve_forever()


main()
