import type { HostEvent } from '../../../src/index.ts'

/** The events of a host, recorded for a test. */
export interface HostEvents {
  readonly events: readonly HostEvent[]
  /** The first matching event, recorded already or later. */
  until<T extends HostEvent['type']>(
    this: void,
    type: T,
    fits?: (event: HostEvent & { readonly type: T }) => boolean,
  ): Promise<HostEvent & { readonly type: T }>
}

export function collectEvents(): HostEvents & { onEvent(this: void, event: HostEvent): void } {
  const events: HostEvent[] = []
  const waiters = new Set<() => void>()
  return {
    events,
    onEvent(event) {
      events.push(event)
      for (const check of waiters) check()
    },
    until: (type, fits = () => true) =>
      new Promise((resolve) => {
        const check = () => {
          const found = events.find(
            (event): event is HostEvent & { readonly type: typeof type } =>
              event.type === type && fits(event as HostEvent & { readonly type: typeof type }), // its type was compared above
          )
          if (!found) return
          waiters.delete(check)
          resolve(found)
        }
        waiters.add(check)
        check()
      }),
  }
}
