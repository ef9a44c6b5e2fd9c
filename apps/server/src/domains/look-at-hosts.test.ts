import { ManualClock } from "@bowline/core/testing";
import { expect, test } from "vitest";

import { AllowedAddresses } from "../gateways/allowed-address.ts";
import type { CoveredHost } from "./covered-hosts.ts";
import { lookAtHosts } from "./look-at-hosts.ts";

const covered: CoveredHost = {
  host: "shop.example.com",
  clusters: [
    {
      cluster: "a",
      isConnected: true,
      isLeaving: false,
      gateways: [
        {
          spec: {
            instance: "web",
            hosts: ["shop.example.com"],
            rules: [{ path: "/", service: "web", port: 80 }],
            tls: { mode: "terminate" },
            visibility: "public",
            probe: true,
          },
          status: {
            cluster: "a",
            ready: "True",
            reason: "Reachable",
            message: "",
            addresses: ["lb.example.net"],
            checks: [{ type: "Route", status: "True", reason: "Accepted", message: "" }],
          },
        },
      ],
    },
  ],
};

test("a DNS server of this machine that is silent holds up no look, and takes no cluster for lost", async () => {
  const clock = new ManualClock();
  const outside = {
    isOn: true,
    resolve: () => new Promise<never>(() => {}),
    probe: () => Promise.reject(new Error("nobody is asked")),
    allowed: new AllowedAddresses([]),
  };
  const options = { before: [], limitMs: 5_000, signal: new AbortController().signal };
  const looking = lookAtHosts({ outside, clock }, [covered], options);
  await clock.armed(2_500);
  await clock.advance(2_500);
  expect((await looking).get("shop.example.com")).toMatchObject([
    { cluster: "a", isHealthy: true, reason: "RecordPending" },
  ]);
});
