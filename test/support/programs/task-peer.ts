import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { onTestFinished } from 'vitest'

/** A server process of one generation of tasks, over HTTP. */
export interface TaskPeer {
  readonly url: string
  /** Ends all tasks, forgets them, refuses a method until it is mended, or only says what happened. */
  tell(
    order: 'finish' | 'forget' | 'state' | 'mend' | `refuse/tasks/${'get' | 'cancel'}/${number}`,
  ): Promise<{
    readonly seen: readonly string[]
    readonly statuses: readonly string[]
  }>
  stop(): Promise<void>
}

export async function startTaskPeer(era: 'modern' | 'legacy'): Promise<TaskPeer> {
  const file = fileURLToPath(new URL('task-peer.mjs', import.meta.url))
  const child = spawn(process.execPath, [file, era], { stdio: ['ignore', 'pipe', 'inherit'] })
  const exited = once(child, 'exit')
  const stop = async () => {
    child.kill('SIGKILL')
    await exited
  }
  onTestFinished(stop)
  const [port] = (await once(child.stdout.setEncoding('utf8'), 'data')) as [string]
  const origin = `http://127.0.0.1:${port.trim()}`
  return {
    url: `${origin}/mcp`,
    stop,
    tell: async (order) => (await fetch(`${origin}/${order}`)).json() as ReturnType<TaskPeer['tell']>,
  }
}
