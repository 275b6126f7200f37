import { render } from 'preact'
import { App } from './app.tsx'
import { startLive } from './state/client.ts'
import { listenToKeys } from './state/keys.ts'
import { showWaitingInTab } from './state/page-title.ts'
import { giveTokenToNewTabs, takeTokenFromAddress } from './state/session.ts'
import './style/tokens.css'
import './style/base.css'
import './style/parts.css'
import './style/frame.css'

takeTokenFromAddress()
addEventListener('hashchange', takeTokenFromAddress)
giveTokenToNewTabs()
listenToKeys()
showWaitingInTab()
startLive()
render(<App />, document.querySelector('#app')!)
