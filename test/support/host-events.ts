import type { HostEvent } from '../../src/index.ts'

/** What a host says, kept for a test. */
export interface HostEvents {
  readonly events: readonly HostEvent[]
  /** The first event that fits, now or later. */
  until<T extends HostEvent['type']>(
    this: void,
    type: T,
    fits?: (event: HostEvent & { readonly type: T }) => boolean,
  ): Promise<HostEvent & { readonly type: T }>
}

export function collectEvents(): HostEvents & { hear(this: void, event: HostEvent): void } {
  const events: HostEvent[] = []
  const waiting = new Set<() => void>()
  return {
    events,
    hear(event) {
      events.push(event)
      for (const look of waiting) look()
    },
    until: (type, fits = () => true) =>
      new Promise((resolve) => {
        const look = () => {
          const found = events.find(
            (event): event is HostEvent & { readonly type: typeof type } =>
              event.type === type && fits(event as HostEvent & { readonly type: typeof type }), // its type was just compared
          )
          if (!found) return
          waiting.delete(look)
          resolve(found)
        }
        waiting.add(look)
        look()
      }),
  }
}
