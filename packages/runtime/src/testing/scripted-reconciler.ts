import type {
  ReconcileContext,
  Reconciler,
  ReconcileRequest,
  ReconcileResult,
} from "../reconcile/reconciler.ts";

/** A call of a reconciler that a test answers. */
interface ReconcileCall extends ReconcileRequest {
  readonly context: ReconcileContext;
  readonly isOpen: boolean;
  finish(result?: ReconcileResult): void;
  fail(thrown: unknown): void;
}

/** A reconciler for tests: each call stays open until it is answered. */
export class ScriptedReconciler implements Reconciler {
  readonly calls: ReconcileCall[] = [];

  get open(): readonly ReconcileCall[] {
    return this.calls.filter((call) => call.isOpen);
  }

  /** The last call for the key; throws when there is none. */
  call(key: string): ReconcileCall {
    const call = this.calls.findLast((each) => each.key === key);
    if (call === undefined) throw new RangeError(`"${key}" was not reconciled.`);
    return call;
  }

  reconcile(request: ReconcileRequest, context: ReconcileContext): Promise<ReconcileResult> {
    const answer = Promise.withResolvers<ReconcileResult>();
    let isOpen = true;
    this.calls.push({
      ...request,
      context,
      get isOpen() {
        return isOpen;
      },
      finish: (result = { kind: "done" }) => {
        isOpen = false;
        answer.resolve(result);
      },
      fail: (thrown) => {
        isOpen = false;
        answer.reject(thrown);
      },
    });
    return answer.promise;
  }
}
