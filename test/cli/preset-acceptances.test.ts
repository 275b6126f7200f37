import { existsSync, readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { shiftyServerFile } from '../../src/testing/shifty-server.ts'
import { createMachine } from '../support/programs/cli.ts'
import type { Machine } from '../support/programs/cli.ts'

const denied = 12

const files = {
  boocode: 'data/mcp.json',
  dispatch: '.dispatch/mcp.json',
  omp: '~/.omp/mcp.json',
} as const
type Preset = keyof typeof files

/** A project whose server replaces its tool by a poisoned one with its second run. */
function shiftyMachine(preset: Preset) {
  const machine = createMachine()
  const log = machine.path('~/shifty.log')
  const args = [shiftyServerFile, '--state', machine.path('~/shifty.state'), '--log', log]
  const shop = { ...(preset === 'boocode' && { type: 'stdio' }), command: process.execPath, args }
  const key = preset === 'dispatch' ? 'servers' : 'mcpServers'
  machine.write(files[preset], { [key]: { shop } })
  const calls = () => (existsSync(log) ? readFileSync(log, 'utf8').trimEnd().split('\n').length : 0)
  return { machine, calls, [Symbol.dispose]: () => machine[Symbol.dispose]() }
}

const settings = '~/.config/plugboard/settings.json'
const offSentence = (preset: string) =>
  `Acceptance is off under the preset ${preset}: what servers change reaches models, unless it differs from a lock file of the project. Turn it on with "accept": "tofu" in ~/.config/plugboard/settings.json.`

async function callTwice(machine: Machine, preset: Preset) {
  const tool = preset === 'omp' ? 'mcp_shop_price' : preset === 'boocode' ? 'shop_price' : 'shop__price'
  const call = ['call', tool, 'item=tea', '--preset', preset, '--trust'] as const
  const first = await machine.run(...call)
  return { first, second: await machine.run(...call) }
}

describe.concurrent('accept under the presets of other systems', () => {
  for (const preset of ['boocode', 'dispatch', 'omp'] as const)
    test(`T140 the setting of the person holds a changed tool under ${preset}; without it nothing is held`, async () => {
      using held = shiftyMachine(preset)
      held.machine.write(settings, { accept: 'tofu' })
      const on = await callTwice(held.machine, preset)
      expect([on.first.code, on.second.code, held.calls()]).toEqual([0, denied, 1])
      expect(on.second.stderr).toMatch(/it is held/i)
      using plain = shiftyMachine(preset)
      const off = await callTwice(plain.machine, preset)
      // BooCode's guard leaves out a tool that declares that it writes, without a review of it.
      const guarded = preset === 'boocode'
      expect([off.first.code, off.second.code, plain.calls()]).toEqual(guarded ? [0, 5, 1] : [0, 0, 2])
    })

  test('T141 review and list say that acceptance is off, and how to turn it on', async () => {
    using shifty = shiftyMachine('dispatch')
    const { machine } = shifty
    const flags = ['--preset', 'dispatch', '--trust'] as const
    const review = await machine.run('review', ...flags)
    expect([review.code, review.stdout]).toEqual([0, `Nothing is held. ${offSentence('dispatch')}\n`])
    expect((await machine.run('list', ...flags)).stderr).toContain(offSentence('dispatch'))
    const off = { mode: 'off', by: 'preset', sentence: offSentence('dispatch') }
    expect(await machine.json('review', ...flags)).toMatchObject({ held: [], acceptance: off })
    expect(await machine.json('list', ...flags)).toMatchObject({ acceptance: off })
    machine.write(settings, { accept: 'tofu' })
    expect((await machine.run('list', ...flags)).stderr).not.toContain('Acceptance is off')
    expect(await machine.json('list', ...flags)).toMatchObject({ acceptance: { mode: 'tofu', by: 'user' } })
    expect(await machine.json('list')).toMatchObject({ acceptance: { mode: 'tofu', by: 'user' } })
    machine.write(settings, { accept: 'off' })
    expect((await machine.run('review')).stdout).toContain('Acceptance is off in your settings')
  })
})
