import { useEffect, useState } from "react";

import { watchPods } from "../../kube/watch-pods.ts";
import { useLiveLists } from "../../live/live-context.tsx";
import { pageClock } from "../../live/page-clock.ts";

interface KnownContainers {
  readonly of: string;
  readonly names: readonly string[];
}

/** The containers of a pod that a shell can be in; none where the cluster does not tell, undefined until it has. */
export function useContainers(
  cluster: string,
  namespace: string,
  pod: string,
): readonly string[] | undefined {
  const { streams } = useLiveLists();
  const of = JSON.stringify([cluster, namespace, pod]);
  const [known, setKnown] = useState<KnownContainers>();
  useEffect(() => {
    let cancelGrace = (): void => {};
    // A pod that is not there is not told; then the shell itself is refused, with the reason.
    const giveUp = (): void => setKnown((before) => (before?.of === of ? before : { of, names: [] }));
    const stop = watchPods({
      streams,
      clock: pageClock,
      random: Math.random,
      selection: { cluster, namespace, pod },
      onPod: ({ containers }) => {
        const names = containers.filter(({ isInit }) => !isInit).map(({ name }) => name);
        setKnown((before) =>
          before?.of === of && before.names.join() === names.join() ? before : { of, names },
        );
      },
      onGone: () => {},
      onListed: () => {
        cancelGrace = pageClock.after(graceMs, giveUp);
      },
      onFailure: giveUp,
    });
    return () => {
      stop();
      cancelGrace();
    };
  }, [streams, cluster, namespace, pod, of]);
  return known?.of === of ? known.names : undefined;
}

/** What is there comes right behind the beginning of a watch. */
const graceMs = 1_000;
