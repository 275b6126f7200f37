import { createBoocodeTools, matchToolGlob } from 'plugboard/boocode'
import { calls, inFolder, isRun } from './servers.mjs'

/** BooCode's tables, filled from its `data/mcp.json`. */
export function boocode() {
  const file = (servers) => ({
    mcpServers: Object.fromEntries(
      Object.entries(servers).map(([name, server]) => [name, { type: 'stdio', ...server }]),
    ),
  })
  return inFolder('data/mcp.json', file, async (cwd) => {
    const { ALL_TOOLS, TOOLS_BY_NAME, toolToServer, initialize } = createBoocodeTools()
    const host = await initialize({ cwd, config: `${cwd}/data/mcp.json` })
    try {
      const names = ALL_TOOLS.map(({ name }) => name)
      const nameOf = (ref) =>
        names.find((name) => {
          const { server, tool } = toolToServer.get(name)
          return `${server}/${tool}` === ref
        })
      const answers = []
      for (const { tool, args } of calls) {
        const name = nameOf(tool)
        answers.push({ name, answer: name && (await TOOLS_BY_NAME.get(name).execute(args)) })
      }
      const agent = ['*', '!memory_*']
      return { names, answers, narrowed: names.filter((name) => matchToolGlob(agent, name)).length }
    } finally {
      await host.close()
    }
  })
}

if (isRun(import.meta.url)) console.log(JSON.stringify(await boocode(), undefined, 2))
