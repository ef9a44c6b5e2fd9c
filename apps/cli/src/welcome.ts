/** What `npm start` shows until there is a control plane to run. */
export function welcome(version: string): string {
  return `Bowline ${version}: one control plane for all your Kubernetes clusters.
Deploy to them, reach them, watch them, and ask what runs in them.

What works today is the ground it stands on:
  packages/core        errors, clock, backoff, ids, logs, metrics, shutdown, supervision
  packages/kube        a Kubernetes client: requests, watches, informers, leases, events
  packages/api         the kinds of the API, each described once
  packages/runtime     queues, controllers, leases
  packages/monitoring  from monitors to Prometheus configuration
  testing/kubesim      a simulated cluster that kubectl works with
  testing/cluster      a real cluster on one machine, for tests

Go on with:
  npm test                     every test that needs no compiled Kubernetes
  npm run test:cluster         the same contract on a real Kubernetes
  npm run kubesim              start a simulated cluster and point kubectl at it
  npm run bench -- informer    memory and time beside @kubernetes/client-node
  docs/architecture.md         what is being built, in one picture
`;
}
