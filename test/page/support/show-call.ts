import type { FrameLocator } from 'playwright-core'
import { expect } from 'vitest'
import type { JsonObject } from '../../../src/model/json.ts'
import { appOf } from './apps.ts'
import { slow } from './browser.ts'
import type { View } from './browser.ts'
import type { OpenedPage, PageWorld } from './world.ts'

/** Calls a tool and opens the call in the page. */
export async function showCall(
  world: PageWorld,
  ref: string,
  { args = {}, view }: { readonly args?: JsonObject; readonly view?: View } = {},
): Promise<OpenedPage & { readonly app: FrameLocator; readonly call: string }> {
  const { client } = world.served()
  const { call } = await client.send('POST /api/calls', { body: { ref, args } })
  const stateNow = async () =>
    (await client.send('GET /api/calls/:call', { params: { call: call.id } })).call.state
  await expect.poll(stateNow, slow).toBe('done')
  const opened = await world.open(`/calls/${call.id}`, view)
  return { ...opened, app: appOf(opened.page), call: call.id }
}
