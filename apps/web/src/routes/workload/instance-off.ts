import { useWhoami } from "../session.ts";

/** Why somebody may not change workloads; undefined for those who may. */
export function useInstanceOff(): string | undefined {
  const { data: me } = useWhoami();
  return me?.role === "viewer" ? "You are a viewer: only editors and admins change workloads." : undefined;
}
