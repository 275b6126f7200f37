import { ListenError } from '../platform/login-ports.ts'
import type { Platform, Processes } from '../platform/platform.ts'
import { HttpError, SpawnError } from '../platform/platform.ts'
import { createFakeClock } from './fake-clock.ts'
import type { FakeClock } from './fake-clock.ts'
import { memoryFiles } from './memory-files.ts'

export type FakePlatformOptions = Partial<Omit<Platform, 'files' | 'clock'>> & {
  /** Texts by path. */
  readonly files?: Readonly<Record<string, string>>
  readonly clock?: FakeClock
}

export interface FakePlatform extends Platform {
  readonly files: ReturnType<typeof memoryFiles>
  readonly clock: FakeClock
}

/** A platform with files in memory, a fake clock, no programs and no network, unless the options provide them. */
export function createFakePlatform({
  files = {},
  clock,
  ...overrides
}: FakePlatformOptions = {}): FakePlatform {
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
    processes: noProcesses,
    account: () => ({ home: '/home/dana', canWrite: true }),
    ...overrides,
    files: memoryFiles(files),
    clock: clock ?? createFakeClock(),
  }
}

const noProcesses: Processes = {
  self: async () => ({ pid: 1, startMark: '1', machine: 'fake' }),
  startMarkOf: async () => undefined,
  descendants: async () => [],
  tagged: async () => [],
  isGroupAlive: async () => false,
  kill: async () => false,
  killGroup: async () => false,
}

/** Runs the work for one path sequentially. */
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
