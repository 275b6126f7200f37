import type { ServedMachine } from '../../support/served.ts'
import { startClient } from '../../support/programs/desk.ts'

/** Two clients of the gateway in the shop: one has called and waits for an answer, one is idle. They end with the gateway. */
export async function connectClients({ machine }: ServedMachine): Promise<void> {
  const greeting = (name: string, version: string) => ({
    protocolVersion: '2025-11-25',
    capabilities: {},
    clientInfo: { name, version },
  })
  const [editor, agent] = [startClient(machine, {}), startClient(machine, { args: ['--search'] })]
  await editor.request('initialize', greeting('editor', '1.104.2'))
  await agent.request('initialize', greeting('terminal-agent', '2.1.14'))
  const call = (name: string, args = {}) => editor.request('tools/call', { name, arguments: args })
  await call('tracker__list_issues', { repo: 'acme/shop' })
  await call('files__read_text_file', { path: 'package.json' })
  await call('orders__import')
  // Waits until the gateway is stopped.
  call('calendar__plan_release').catch(() => undefined)
}
