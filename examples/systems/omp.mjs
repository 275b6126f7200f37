import { discoverAndLoadMCPTools } from 'plugboard/omp'
import { calls, inFolder, isRun } from './servers.mjs'

/** omp's loader, as a program without a user interface uses it. */
export function omp() {
  return inFolder(
    '.omp/mcp.json',
    (mcpServers) => ({ mcpServers }),
    async (cwd) => {
      const { tools, manager } = await discoverAndLoadMCPTools(cwd, { trust: 'project' })
      try {
        const answers = []
        for (const { tool, args } of calls) {
          const found = tools.find(({ tool: each }) => `${each.mcpServerName}/${each.mcpToolName}` === tool)
          const { content } = await found.tool.execute('t1', args)
          answers.push({ name: found.tool.name, answer: content.find(({ type }) => type === 'text').text })
        }
        return { names: tools.map(({ tool }) => tool.name), answers }
      } finally {
        await manager.disconnectAll()
      }
    },
  )
}

if (isRun(import.meta.url)) console.log(JSON.stringify(await omp(), undefined, 2))
