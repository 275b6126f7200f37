import { createMcpExt } from 'plugboard/dispatch'
import { createDispatchHost } from 'plugboard/testing'
import { calls, inFolder, isRun } from './servers.mjs'

/** Dispatch's extension in a test host, with one turn in a temporary folder. */
export function dispatch() {
  return inFolder(
    '.dispatch/mcp.json',
    (servers) => ({ servers }),
    async (cwd) => {
      const host = createDispatchHost()
      const extension = createMcpExt({ trust: 'project' })
      await extension.activate(host)
      try {
        const { assembly, call } = await host.turn({ conversationId: 'c1', cwd })
        const answers = []
        for (const { tool, args } of calls) {
          const name = tool.replace('/', '__')
          answers.push({ name, answer: await call(name, args) })
        }
        return { names: assembly.tools.map(({ name }) => name), answers }
      } finally {
        await extension.deactivate()
      }
    },
  )
}

if (isRun(import.meta.url)) console.log(JSON.stringify(await dispatch(), undefined, 2))
