import { ListenError } from '../platform/login-ports.ts'
import type { Platform, Processes } from '../platform/platform.ts'
import { HttpError, SpawnError } from '../platform/platform.ts'
import { createFakeClock } from './fake-clock.ts'
import type { FakeClock } from './fake-clock.ts'
import { memoryFiles } from './memory-files.ts'

export type FakePlatformOptions = Partial<Omit<Platform, 'files' | 'clock'>> & {
  /** Paths to texts. */
  readonly files?: Readonly<Record<string, string>>
  readonly clock?: FakeClock
}

export interface FakePlatform extends Platform {
  readonly files: ReturnType<typeof memoryFiles>
  readonly clock: FakeClock
}

/** A machine with files in memory, a clock that stands still, no programs and no network, unless they are given. */
export function createFakePlatform({ files = {}, clock, ...given }: FakePlatformOptions = {}): FakePlatform {
  return {
    os: 'linux',
    home: '/home/dana',
    cwd: '/home/dana/shop',
    env: {},
    systemRoot: '/',
    lock: createLock(),
    run: async () => ({ kind: 'failed', reason: 'not-found', message: 'there are no programs here' }),
    async spawn({ command }) {
      throw new SpawnError('not-found', `there is no program ${command} here`)
    },
    async http({ url }) {
      throw new HttpError('refused', false, `there is no network to ${url.host} here`)
    },
    browser: async () => false,
    async listen() {
      throw new ListenError('there is no network here')
    },
    processes: nobody,
    ...given,
    files: memoryFiles(files),
    clock: clock ?? createFakeClock(),
  }
}

const nobody: Processes = {
  self: async () => ({ pid: 1, startMark: '1', machine: 'fake' }),
  startMarkOf: async () => undefined,
  descendants: async () => [],
  isGroupAlive: async () => false,
  kill: async () => false,
  killGroup: async () => false,
}

/** One after another for each path. */
function createLock(): Platform['lock'] {
  const last = new Map<string, Promise<unknown>>()
  return (path, work) => {
    const mine = (last.get(path) ?? Promise.resolve()).then(work)
    last.set(
      path,
      mine.catch(() => undefined),
    )
    return mine
  }
}
