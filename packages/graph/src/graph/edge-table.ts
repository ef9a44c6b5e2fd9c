import { IdPool, IntColumn, none } from "./int-column.ts";

/** An edge as it is kept: numbers of nodes, of a type, and of texts. */
interface EdgeRow {
  readonly from: number;
  readonly to: number;
  readonly type: number;
  readonly at: number;
  readonly properties: number;
}

/** Lists of edges through the table, both ways, so that an edge leaves in no time however many its neighbours have. */
class EdgeList {
  #first = new IntColumn();
  #next = new IntColumn();
  #previous = new IntColumn();

  copy(): EdgeList {
    const copy = new EdgeList();
    copy.#first = this.#first.copy();
    copy.#next = this.#next.copy();
    copy.#previous = this.#previous.copy();
    return copy;
  }

  first(of: number): number {
    return this.#first.get(of);
  }

  next(edge: number): number {
    return this.#next.get(edge);
  }

  enter(edge: number, of: number): void {
    const first = this.#first.get(of);
    this.#next.set(edge, first);
    this.#previous.set(edge, none);
    if (first !== none) this.#previous.set(first, edge);
    this.#first.set(of, edge);
  }

  leave(edge: number, of: number): void {
    const next = this.#next.get(edge);
    const previous = this.#previous.get(edge);
    if (previous === none) this.#first.set(of, next);
    else this.#next.set(previous, next);
    if (next !== none) this.#previous.set(next, previous);
  }
}

/** The edges of a cluster: out of a node, into a node, and said by an object. */
export class EdgeTable {
  out = new EdgeList();
  in = new EdgeList();
  #from = new IntColumn();
  #to = new IntColumn();
  #type = new IntColumn();
  #at = new IntColumn();
  #properties = new IntColumn();
  /** An object's edges leave together, so that one direction is enough. */
  #firstOf = new IntColumn();
  #nextOf = new IntColumn();
  #pool = new IdPool();

  copy(): EdgeTable {
    const copy = new EdgeTable();
    copy.out = this.out.copy();
    copy.in = this.in.copy();
    copy.#from = this.#from.copy();
    copy.#to = this.#to.copy();
    copy.#type = this.#type.copy();
    copy.#at = this.#at.copy();
    copy.#properties = this.#properties.copy();
    copy.#firstOf = this.#firstOf.copy();
    copy.#nextOf = this.#nextOf.copy();
    copy.#pool = this.#pool.copy();
    return copy;
  }

  get size(): number {
    return this.#pool.inUse;
  }

  add(row: EdgeRow, object: number): void {
    const edge = this.#pool.take();
    this.#from.set(edge, row.from);
    this.#to.set(edge, row.to);
    this.#type.set(edge, row.type);
    this.#at.set(edge, row.at);
    this.#properties.set(edge, row.properties);
    this.out.enter(edge, row.from);
    this.in.enter(edge, row.to);
    this.#nextOf.set(edge, this.#firstOf.get(object));
    this.#firstOf.set(object, edge);
  }

  /** Removes the edges that an object says, and tells each; its parts can be asked for until another is added. */
  removeOf(object: number, removed: (edge: number) => void): void {
    for (let edge = this.#firstOf.get(object); edge !== none; edge = this.#nextOf.get(edge)) {
      this.out.leave(edge, this.#from.get(edge));
      this.in.leave(edge, this.#to.get(edge));
      this.#pool.giveBack(edge);
      removed(edge);
    }
    this.#firstOf.set(object, none);
  }

  fromOf(edge: number): number {
    return this.#from.get(edge);
  }

  toOf(edge: number): number {
    return this.#to.get(edge);
  }

  typeOf(edge: number): number {
    return this.#type.get(edge);
  }

  atOf(edge: number): number {
    return this.#at.get(edge);
  }

  propertiesOf(edge: number): number {
    return this.#properties.get(edge);
  }

  /** The edges that an object says, the last one first. */
  *of(object: number): Generator<number> {
    for (let edge = this.#firstOf.get(object); edge !== none; edge = this.#nextOf.get(edge)) yield edge;
  }
}
