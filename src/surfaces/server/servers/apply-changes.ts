import type { Host } from '../../../index.ts'

/**
 * Reads the configuration again after a change of it. Resolves when the change is in force: servers that it starts take their
 * time, and the events tell how they get on.
 */
export async function applyChanges(host: Pick<Host, 'on' | 'reload'>): Promise<void> {
  let listening: Disposable | undefined
  const applied = new Promise<void>((resolve) => {
    listening = host.on((event) => {
      if (event.type === 'config.changed') resolve()
    })
  })
  const reloading = host.reload({ ifChanged: true, keepFailed: true })
  reloading.catch(() => undefined)
  try {
    await Promise.race([applied, reloading])
  } finally {
    listening?.[Symbol.dispose]()
  }
}
