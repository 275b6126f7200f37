import { fileURLToPath } from 'node:url'
import { onTestFinished } from 'vitest'
import { startProgram } from './program.ts'

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
  const program = startProgram(process.execPath, [file, era], { stderr: 'inherit' })
  const stop = async () => void (await program.kill('SIGKILL'))
  onTestFinished(stop)
  const origin = `http://127.0.0.1:${await program.nextLine()}`
  return {
    url: `${origin}/mcp`,
    stop,
    tell: async (order) => (await fetch(`${origin}/${order}`)).json() as ReturnType<TaskPeer['tell']>,
  }
}
