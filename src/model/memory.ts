/** A person's yes to calls of one tool, bound to the very tool and server that were shown. */
export interface Approval {
  /** The tool's ref; the name of one of the embedder's own tools. */
  readonly ref: string
  /** Hash of the tool's definition. */
  readonly definition: string
  /** What stands for the server's declaration: another entry under the same name is not covered. */
  readonly entry: string
  /** The conditions that were asked about; an approval answers no other question. */
  readonly asks: readonly string[]
  /** Absent: for every conversation. */
  readonly conversation?: string
  /** ISO 8601. */
  readonly at: string
}

/** Servers switched on or off in one conversation (D6, D7). */
export interface Toggles {
  of(conversation: string): ReadonlyMap<string, boolean>
  /** `undefined` forgets the switch. */
  set(conversation: string, server: string, on: boolean | undefined): Promise<void>
}

export interface Approvals {
  /** Those for every conversation, and those of this one. */
  of(conversation?: string): readonly Approval[]
  add(approval: Approval): Promise<void>
  /** Takes every yes to a tool back, or to all tools; answers how many there were. */
  revoke(which?: { readonly ref?: string; readonly conversation?: string }): Promise<number>
}

/**
 * What must outlive a host. Reading never waits: what is known is in memory. A change counts at once for whoever made
 * it; the promise tells when it is kept, or that it cannot be.
 */
export interface Memory {
  readonly toggles: Toggles
  readonly approvals: Approvals
}
