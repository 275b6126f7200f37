import { statSync } from 'node:fs'
import { createHost, HostError } from '../../../index.ts'
import type { Host } from '../../../index.ts'
import { escapeLine } from '../../terminal/escape.ts'
import type { ServeContext } from '../serve-context.ts'
import { warnOfAudit } from '../audit-warning.ts'

/** A host that is in use until `release` is called. */
export interface TakenHost {
  readonly host: Host
  release(this: void): void
}

interface OpenFolder {
  readonly host: Promise<Host>
  readonly close: () => Promise<void>
  users: number
  idle?: NodeJS.Timeout | undefined
}

/** How long the servers of another folder stay after the last use. */
const idleMs = 5 * 60_000

/**
 * The hosts of the folders that conversations belong to: the servers, trust and rules of their own folder apply. The folder of
 * `serve` has one already.
 */
export class FolderHosts {
  readonly #context: ServeContext
  readonly #folders = new Map<string, OpenFolder>()

  constructor(context: ServeContext) {
    this.#context = context
  }

  async take(cwd: string): Promise<TakenHost> {
    const { host, isDemo, cwd: own } = this.#context
    if (isDemo || cwd === own) return { host, release: () => undefined }
    const folder = this.#folders.get(cwd) ?? this.#open(cwd)
    folder.users++
    clearTimeout(folder.idle)
    let isReleased = false
    const release = () => {
      if (isReleased) return
      isReleased = true
      folder.users--
      if (folder.users === 0) folder.idle = setTimeout(() => void this.#close(cwd), idleMs).unref()
    }
    try {
      return { host: await folder.host, release }
    } catch (error) {
      this.#folders.delete(cwd)
      throw error
    }
  }

  /** The hosts that are open now, with that of `serve`. */
  async all(): Promise<readonly Host[]> {
    const others = [...this.#folders.values()].map(({ host }) => host.catch(() => undefined))
    return [this.#context.host, ...(await Promise.all(others)).filter((host) => host !== undefined)]
  }

  async close(): Promise<void> {
    await Promise.all([...this.#folders.keys()].map((cwd) => this.#close(cwd)))
  }

  #open(cwd: string): OpenFolder {
    checkFolder(cwd)
    const { desk, discover, frames } = this.#context
    let opened: Host | undefined
    const own = desk.open(() => opened)
    const host = createHost({
      ...discover,
      cwd,
      lifecycle: 'on-demand',
      scanResults: true,
      audit: { surface: 'page' },
      ...(frames && { apps: true }),
      accept: 'person',
      memory: desk.memory,
      ...own.callbacks,
    }).then((each) => {
      own.followCalls(each)
      warnOfAudit(each)
      return (opened = each)
    })
    const logins = host.then(
      (each) => own.followLogins(each),
      () => undefined,
    )
    const folder: OpenFolder = {
      host,
      users: 0,
      async close() {
        ;(await logins)?.[Symbol.dispose]()
        // Questions that can wait are left to the next process before the host ends their calls.
        await own.close()
        await opened?.close()
      },
    }
    this.#folders.set(cwd, folder)
    return folder
  }

  async #close(cwd: string): Promise<void> {
    const folder = this.#folders.get(cwd)
    this.#folders.delete(cwd)
    clearTimeout(folder?.idle)
    await folder?.close()
  }
}

/** Throws if a conversation cannot work in a folder. */
export function checkFolder(cwd: string): void {
  if (isFolder(cwd)) return
  throw new HostError('usage', {}, `There is no folder ${escapeLine(cwd)}.`, {
    hint: 'Give the folder back, or begin a conversation in another one.',
  })
}

function isFolder(cwd: string): boolean {
  try {
    return statSync(cwd).isDirectory()
  } catch {
    // Also a path through a file, one that is too long, or one that no system has.
    return false
  }
}
