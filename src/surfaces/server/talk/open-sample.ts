import { createSample } from '../../../agent.ts'
import type { ApproveSample, SampleModel, SampleOptions } from '../../../agent.ts'
import { isHostError } from '../../../index.ts'
import type { Sample } from '../../../index.ts'
import { believePlatform, readSettings } from '../../../internal.ts'
import { openModel } from '../../../models.ts'
import type { SampleSource } from './sample-source.ts'
import { modelPlace } from './talk-model.ts'

interface OpenSampleOptions extends Pick<SampleOptions, 'onRejected'> {
  readonly samples: SampleSource
  readonly approve: ApproveSample
}

/** Servers may use the model of the conversation that calls them, or else the person's default one (T21). */
export async function openSample({ samples, approve, onRejected }: OpenSampleOptions): Promise<Sample> {
  const { cwd, platform: given } = samples.discover
  const { platform } = await believePlatform({ ...given, ...(cwd !== undefined && { cwd }) })
  const { settings } = await readSettings(platform)
  let current: SampleModel | undefined
  const sample = createSample({
    // Asked for before anything is awaited, so it is the model that was set for this request.
    model: () => current as SampleModel,
    approve,
    budget: settings.sampling ?? {},
    onUsed: ({ server, usage }) => samples.count(server, usage),
    ...(onRejected && { onRejected }),
  })
  return async (request, options) => {
    const { server } = request
    try {
      const model = samples.modelOn(server) ?? (await defaultModel(samples))
      current = model
    } catch (error) {
      if (!isHostError(error)) throw error
      onRejected?.({ server, reason: error.message })
      return undefined
    }
    return sample(request, options)
  }
}

async function defaultModel({ isDemo, discover }: SampleSource): Promise<SampleModel> {
  if (!isDemo) return openModel(undefined, modelPlace(discover))
  const { openDemo } = await import('../../demo/demo.ts')
  return openDemo().model
}
