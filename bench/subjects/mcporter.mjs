import { createRuntime } from 'mcporter'

export async function open(servers) {
  const runtime = await createRuntime({ servers: servers.map(toDefinition) })
  return {
    async use(name) {
      await runtime.connect(name)
      return {
        list: () => runtime.listTools(name),
        call: (tool, args) => runtime.callTool(name, tool, { args }),
      }
    },
    close: () => runtime.close(),
  }
}

function toDefinition({ name, url, command, args }) {
  if (url) return { name, command: { kind: 'http', url: new URL(url) } }
  return { name, command: { kind: 'stdio', command, args, cwd: process.cwd() } }
}
