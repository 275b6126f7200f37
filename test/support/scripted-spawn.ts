import type { Exit } from '../../src/model/exit.ts'
import type { Child, Spawn, SpawnOptions } from '../../src/platform/platform.ts'
import { createMemoryPipe } from './memory-pipe.ts'
import type { MemoryPipe } from './memory-pipe.ts'
import type { WireRequest } from './wire.ts'

/** A simulated child process; the test controls its answers and its end. */
export interface ScriptedChild {
  readonly number: number
  readonly pipe: MemoryPipe
  readonly isAlive: boolean
  readonly signals: readonly string[]
  answer(id: WireRequest['id'], result: unknown): void
  refuse(id: WireRequest['id'], code: number, message?: string): void
  say(text: string): void
  exit(exit?: Partial<Exit>): void
}

export interface ScriptedSpawn {
  readonly spawn: Spawn
  readonly children: readonly ScriptedChild[]
  readonly options: readonly SpawnOptions[]
  /** The largest number of children alive at one time. */
  readonly most: number
  readonly alive: number
}

interface SpawnBehavior {
  readonly endsWithInput?: boolean
  readonly ignoresTerm?: boolean
}

export function createScriptedSpawn(
  script: (asked: WireRequest, child: ScriptedChild) => void,
  { endsWithInput = true, ignoresTerm = false }: SpawnBehavior = {},
): ScriptedSpawn {
  const children: ScriptedChild[] = []
  const options: SpawnOptions[] = []
  let most = 0
  const alive = () => children.filter((child) => child.isAlive).length
  return {
    children,
    options,
    get most() {
      return most
    },
    get alive() {
      return alive()
    },
    async spawn(given) {
      options.push(given)
      const { child, scripted } = createChild(children.length + 1, script, { endsWithInput, ignoresTerm })
      children.push(scripted)
      most = Math.max(most, alive())
      return child
    },
  }
}

function createChild(
  number: number,
  script: (asked: WireRequest, child: ScriptedChild) => void,
  { endsWithInput, ignoresTerm }: Required<SpawnBehavior>,
): { readonly child: Child; readonly scripted: ScriptedChild } {
  const signals: string[] = []
  let isAlive = true
  let onStderr: (chunk: Uint8Array) => void = () => undefined
  let setExit: (exit: Exit) => void = () => undefined
  const exited = new Promise<Exit>((resolve) => void (setExit = resolve))
  const pipe = createMemoryPipe((asked) => {
    if (isAlive) script(asked, scripted)
  })
  const scripted: ScriptedChild = {
    number,
    pipe,
    get isAlive() {
      return isAlive
    },
    signals,
    answer: (id, result) => isAlive && pipe.send({ jsonrpc: '2.0', id, result }),
    refuse: (id, code, message = 'no') =>
      isAlive && pipe.send({ jsonrpc: '2.0', id, error: { code, message } }),
    say: (text) => onStderr(new TextEncoder().encode(text)),
    exit({ code = 1, signal = null } = {}) {
      if (!isAlive) return
      isAlive = false
      setExit({ code, signal })
      pipe.end()
    },
  }
  const child: Child = {
    pid: 1000 + number,
    startMark: `${number}`,
    command: '/bin/server',
    io: {
      ...pipe.io,
      end() {
        pipe.io.end()
        if (endsWithInput) queueMicrotask(() => scripted.exit({ code: 0 }))
      },
    },
    onStderr: (listener) => void (onStderr = listener),
    exited,
    drained: exited.then(() => undefined),
    kill(signal) {
      signals.push(signal)
      if (isAlive && !(ignoresTerm && signal === 'SIGTERM'))
        queueMicrotask(() => scripted.exit({ code: null, signal }))
      return isAlive
    },
    release: () => undefined,
  }
  return { child, scripted }
}
