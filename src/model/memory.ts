/** A person's yes to calls of one tool, bound to the definition of the tool and the server that they were shown. */
export interface Approval {
  /** The tool's ref, or the name of one of the embedder's own tools. */
  readonly ref: string
  /** Hash of the tool's definition. */
  readonly definition: string
  /** Identifies the server's declaration, so that another entry of the same name is not covered. */
  readonly entry: string
  /** The conditions that the person was asked about; the approval covers no others. */
  readonly asks: readonly string[]
  /** Absent: the approval holds in every conversation. */
  readonly conversation?: string
  /** ISO 8601. */
  readonly at: string
}

/** Servers switched on or off in one conversation (D6, D7). */
export interface Toggles {
  of(conversation: string): ReadonlyMap<string, boolean>
  /** `undefined` removes the switch. */
  set(conversation: string, server: string, on: boolean | undefined): Promise<void>
}

export interface Approvals {
  /** The approvals for every conversation, and those for this one. */
  of(conversation?: string): readonly Approval[]
  add(approval: Approval): Promise<void>
  /** Removes all approvals of a tool, or of all tools; returns how many there were. */
  revoke(which?: { readonly ref?: string; readonly conversation?: string }): Promise<number>
}

/**
 * State that must outlive a host. Reads are synchronous, from memory. A change takes effect at once in the host that
 * made it; the promise settles when it is stored, or cannot be.
 */
export interface Memory {
  readonly toggles: Toggles
  readonly approvals: Approvals
  /** Reads what other programs have changed. Called before an approval is relied on, and before a person is asked. */
  readonly recall?: () => Promise<void>
}

/** Switches and approvals of the memory that is in use at the time of each access. */
export function forwardMemory(current: () => Memory): Omit<Memory, 'recall'> {
  return {
    toggles: {
      of: (conversation) => current().toggles.of(conversation),
      set: (conversation, server, on) => current().toggles.set(conversation, server, on),
    },
    approvals: {
      of: (conversation) => current().approvals.of(conversation),
      add: (approval) => current().approvals.add(approval),
      revoke: (which) => current().approvals.revoke(which),
    },
  }
}

/** Everything that a memory holds, to move it into another one. */
export interface MemoryRows {
  readonly switches: readonly {
    readonly conversation: string
    readonly server: string
    readonly on: boolean
    readonly at: string
  }[]
  readonly approvals: readonly Approval[]
}
