export const endedStatuses = ['completed', 'failed', 'cancelled', 'lost'] as const

/** `lost`: its server no longer knows it, or the program that ran it has ended. */
export type TaskStatus = 'working' | 'input_required' | (typeof endedStatuses)[number]

/** A call that a server runs in the background. The server's own id of it is a secret, and not part of this. */
export interface Task {
  /** Ours: for `wait` and `cancel`. */
  readonly id: string
  readonly ref: string
  readonly server: string
  readonly status: TaskStatus
  /** What the server said last, or why the task is lost. */
  readonly message?: string
  readonly conversation?: string
  readonly agent?: string
  /** ISO 8601. */
  readonly startedAt: string
  readonly updatedAt: string
  /** A person or a program has asked for its end. */
  readonly isCancelRequested?: boolean
  /** A running process polls it. One that nothing follows goes on at its server, and can be followed again. */
  readonly isFollowed: boolean
  /** The result, once it is `completed` or `failed`; at most 64 kB of it. */
  readonly text?: string
}

export function isEnded({ status }: Pick<Task, 'status'>): boolean {
  return endedStatuses.some((each) => each === status)
}
