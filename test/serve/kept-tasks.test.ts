import { expect, test } from 'vitest'
import { openServe } from '../../src/surfaces/server/serve.ts'
import { createMachine, startCli } from '../support/programs/cli.ts'
import { ownFile } from '../support/servers.ts'
import { startTaskPeer } from '../support/programs/task-peer.ts'

test('serve follows the tasks of a program that was killed from its start on, without any page', async () => {
  const peer = await startTaskPeer('modern')
  using machine = createMachine({ [ownFile]: { mcpServers: { peer: { url: peer.url } } } })
  await using caller = startCli(machine, ['call', 'peer/brew'])
  const tasks = async () => {
    const { stdout } = await machine.run('tasks', '--json')
    const { tasks: found } = JSON.parse(stdout) as {
      readonly tasks: readonly { readonly status: string; readonly isFollowed: boolean }[]
    } // its documented form
    return found.map(({ status, isFollowed }) => ({ status, isFollowed }))
  }
  await expect.poll(tasks, { timeout: 30_000 }).toEqual([{ status: 'working', isFollowed: true }])
  await caller.kill('SIGKILL')
  expect(await tasks()).toEqual([{ status: 'working', isFollowed: false }])
  const served = await openServe({
    discover: { cwd: machine.project, platform: { home: machine.home, env: machine.env } },
    port: 0,
    print: () => undefined,
  })
  try {
    await expect.poll(tasks, { timeout: 30_000 }).toEqual([{ status: 'working', isFollowed: true }])
    await peer.tell('finish')
    await expect.poll(async () => (await tasks())[0]?.status, { timeout: 30_000 }).toBe('completed')
  } finally {
    await served.close()
  }
})
