import { useState } from 'preact/hooks'
import type { RouteAnswer } from '../../../../src/client.ts'
import { Duration, Tokens } from '../../parts/amounts.tsx'
import { Button } from '../../parts/button.tsx'
import { Empty, ErrorLine, Loading } from '../../parts/messages.tsx'
import { StateMark } from '../../parts/state-mark.tsx'
import { useAction, useAnswer } from '../../state/answers.ts'
import { send } from '../../state/client.ts'
import { AddEndpoint } from './add-endpoint.tsx'

type Answered = RouteAnswer<'GET /api/models'>

/** Endpoints and their models: which one new conversations use, a try of each, and a new endpoint. */
export function Models() {
  const { value, error, reload } = useAnswer('GET /api/models', {}, { on: ['config.changed'] })
  const [isAdding, setAdding] = useState(false)
  if (!value) return error ? <ErrorLine error={error} /> : <Loading what="Asking the endpoints" />
  return (
    <>
      <header class="config-head">
        <h1>Models</h1>
        <span class="grow" />
        {!isAdding && (
          <Button command="plugboard models add NAME" onPress={() => setAdding(true)}>
            Add an endpoint…
          </Button>
        )}
      </header>
      <ErrorLine error={error} />
      {isAdding && (
        <AddEndpoint
          onClose={(isAdded) => {
            setAdding(false)
            if (isAdded) void reload()
          }}
        />
      )}
      {value.isDemo && <p>No model is set up. The demo model matches words to tools.</p>}
      {value.endpoints.length === 0 && !value.isDemo && (
        <Empty says="No endpoint is set up." command="plugboard models add NAME" />
      )}
      {value.endpoints.map((endpoint) => (
        <Endpoint
          key={endpoint.name}
          endpoint={endpoint}
          models={value.models.filter((each) => each.endpoint === endpoint.name)}
          onChanged={() => void reload()}
        />
      ))}
    </>
  )
}

interface EndpointProps {
  readonly endpoint: Answered['endpoints'][number]
  readonly models: Answered['models']
  readonly onChanged: () => void
}

function Endpoint({ endpoint, models, onChanged }: EndpointProps) {
  const { name, address, isReady, isBuiltIn, problem, hint } = endpoint
  return (
    <section class="config-group">
      <h2>
        {name} <span class="mono dim">{address}</span>
      </h2>
      {!isBuiltIn && <RemoveEndpoint name={name} onRemoved={onChanged} />}
      {!isReady && (
        <ErrorLine
          error={{ message: problem ?? 'It does not answer.', ...(hint !== undefined && { hint }) }}
        />
      )}
      <ul class="row-list">
        {models.map((model) => (
          <li key={model.ref}>
            <Model model={model} onChanged={onChanged} />
          </li>
        ))}
      </ul>
    </section>
  )
}

/** Asks once more: the key of the endpoint goes with it. */
function RemoveEndpoint({ name, onRemoved }: { readonly name: string; readonly onRemoved: () => void }) {
  const [isAsked, setAsked] = useState(false)
  const remove = useAction(async () => {
    await send('DELETE /api/models/endpoints/:endpoint', { params: { endpoint: name } })
    onRemoved()
  })
  const command = `plugboard models remove ${name}`
  return (
    <>
      <div class="buttons">
        {isAsked && <span>Remove {name} from your settings?</span>}
        {isAsked ? (
          <>
            <Button command={command} action={remove}>
              Remove
            </Button>
            <Button onPress={() => setAsked(false)}>Keep</Button>
          </>
        ) : (
          <Button command={command} onPress={() => setAsked(true)}>
            Remove…
          </Button>
        )}
      </div>
      <ErrorLine error={remove.error} />
    </>
  )
}

interface ModelProps {
  readonly model: Answered['models'][number]
  readonly onChanged: () => void
}

function Model({ model: { ref, id, window, inputPrice, outputPrice, isDefault }, onChanged }: ModelProps) {
  const [tried, setTried] = useState<RouteAnswer<'POST /api/models/test'>>()
  const test = useAction(async () => setTried(await send('POST /api/models/test', { body: { model: ref } })))
  const use = useAction(async () => {
    await send('PUT /api/models/default', { body: { model: ref } })
    onChanged()
  })
  return (
    <>
      <div class="row-line">
        <span class="mono">{id}</span>
        {isDefault && <StateMark state={{ tone: 'ok', word: 'for new conversations' }} />}
        <span class="dim">
          {window !== undefined && (
            <>
              <Tokens count={window} /> window
            </>
          )}
          {inputPrice !== undefined &&
            outputPrice !== undefined &&
            ` · $${inputPrice} in, $${outputPrice} out`}
        </span>
        <span class="row-buttons">
          {!isDefault && (
            <Button command={`plugboard models use ${ref}`} action={use}>
              Use
            </Button>
          )}
          <Button command={`plugboard models test ${ref}`} action={test}>
            Test
          </Button>
        </span>
      </div>
      {tried && (
        <p role="status">
          <StateMark
            state={{
              tone: tried.isOk ? 'ok' : 'bad',
              word: tried.isOk ? 'answers' : (tried.message ?? 'does not answer'),
            }}
          />{' '}
          <Duration ms={tried.ms} /> {tried.hint !== undefined && <span class="dim">{tried.hint}</span>}
        </p>
      )}
      <ErrorLine error={use.error ?? test.error} />
    </>
  )
}
