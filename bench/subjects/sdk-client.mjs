// Shared by both versions of the official client, which differ only in their imports.

export function openWith({ Client, StdioClientTransport, StreamableHTTPClientTransport }, servers) {
  const clients = []
  return {
    async use(name) {
      const { url, command, args } = servers.find((server) => server.name === name)
      const transport = url
        ? new StreamableHTTPClientTransport(new URL(url))
        : new StdioClientTransport({ command, args, stderr: 'ignore' })
      const client = new Client({ name: 'bench', version: '1.0.0' })
      clients.push(client)
      await client.connect(transport)
      return {
        list: async () => (await client.listTools()).tools,
        call: (tool, args) => client.callTool({ name: tool, arguments: args }),
      }
    },
    close: () => Promise.all(clients.map((client) => client.close())),
  }
}
