// Shared behaviour of all pages, which also work without scripts. Listeners are on the document, because htmx replaces
// parts of the page.

/** Closes open menus, except one. A menu that contains the focus returns it to its button. */
function closeMenus(except) {
  for (const menu of document.querySelectorAll('details.menu[open]')) {
    if (menu === except) continue
    if (menu.contains(document.activeElement)) menu.querySelector('summary').focus()
    menu.open = false
  }
}
document.addEventListener('keydown', (event) => event.key === 'Escape' && closeMenus())
document.addEventListener('click', ({ target }) => {
  const isDownload = target.closest?.('details.menu :is(a[download], button[formmethod=get])')
  closeMenus(isDownload ? null : target.closest?.('details.menu'))
})

/**
 * Prevents repeated changes. A POST form is not sent again while its response is pending, for at most 10 s. Second clicks of a
 * double click and held Enter keys are ignored, because another button can be in that place by then. Uploads are exempt.
 */
const FORM_SELECTOR = 'form[method=post]:not([enctype])'
const pendingForms = new WeakSet()
function cancelEvent(event) {
  event.preventDefault()
  event.stopImmediatePropagation()
}
document.addEventListener(
  'submit',
  (event) => {
    const { target } = event
    if (pendingForms.has(target)) cancelEvent(event)
    else if (target.matches(FORM_SELECTOR)) {
      pendingForms.add(target)
      setTimeout(() => pendingForms.delete(target), 10_000)
    }
  },
  true,
)
document.addEventListener('htmx:finally:request', ({ detail: { ctx } }) => pendingForms.delete(ctx.sourceElement))
addEventListener('pageshow', () => {
  for (const form of document.forms) pendingForms.delete(form)
})
const isInForm = ({ target }, what) => Boolean(target.closest?.(`:is(${FORM_SELECTOR}) ${what}`))
document.addEventListener(
  'click',
  (event) => event.detail > 1 && isInForm(event, 'button:not([type=button])') && cancelEvent(event),
  true,
)
document.addEventListener(
  'keydown',
  (event) => event.repeat && event.key === 'Enter' && isInForm(event, ':is(button, input)') && cancelEvent(event),
  true,
)

/** Requests without a click or form, such as refreshes, send the action id of the page, so that the audit log joins them to it. */
document.addEventListener('htmx:config:request', ({ detail: { ctx } }) => {
  if (ctx.sourceElement.hasAttribute('hx-trigger'))
    ctx.request.headers['X-Action-Id'] = document.getElementById('content').dataset.actionId
})

/** The response to a form that must not be sent twice gets the address of a page, which a reload opens. */
const { here } = document.body.dataset
if (here) history.replaceState(history.state, '', here)

/** If a refresh fails, the old content stays, with a notice until a request succeeds. */
function setStale(stale) {
  const notice = document.getElementById('stale')
  if (notice) notice.hidden = !stale
}
document.addEventListener('htmx:error', () => setStale(true))
document.addEventListener('htmx:response:error', () => setStale(true))

/**
 * Shows a progress bar and dims the content while a click or form takes longer than BUSY_DELAY_MS. Refreshes show nothing.
 * The bar ends after BUSY_LIMIT_MS, because a download does not report its start.
 */
const BUSY_DELAY_MS = 150
const BUSY_LIMIT_MS = 20_000
let busyTimer
function setBusy(busy) {
  clearTimeout(busyTimer)
  busyTimer = undefined
  if (!busy) return document.documentElement.removeAttribute('data-busy')
  busyTimer = setTimeout(() => {
    document.documentElement.setAttribute('data-busy', '')
    busyTimer = setTimeout(() => setBusy(false), BUSY_LIMIT_MS)
  }, BUSY_DELAY_MS)
}
const isUserRequest = ({ detail: { ctx } }) => ctx.request.headers['HX-Request-Type'] === 'full'
document.addEventListener('htmx:before:request', (event) => isUserRequest(event) && setBusy(true))
document.addEventListener('htmx:finally:request', (event) => isUserRequest(event) && setBusy(false))
document.addEventListener('click', (event) => {
  const link = event.target.closest?.('a[href]:not([download], [target])')
  const isPlain = event.button === 0 && !event.ctrlKey && !event.metaKey && !event.shiftKey && !event.altKey
  if (!link || !isPlain || event.defaultPrevented || link.origin !== location.origin) return
  if (link.pathname + link.search !== location.pathname + location.search) setBusy(true)
})
document.addEventListener('submit', (event) => {
  if (!event.defaultPrevented && !event.submitter?.matches('[formmethod=get]')) setBusy(true)
})
for (const shown of ['pageshow', 'pagehide']) addEventListener(shown, () => setBusy(false))

/** Ignores errors that are neither a page of the panel nor parts of it, and responses to addresses that the element no longer requests. */
document.addEventListener('htmx:before:swap', (event) => {
  const { response, text, sourceElement, request } = event.detail.ctx
  const requestedUrl = sourceElement.getAttribute('hx-get')
  const isOwnPage = response.status < 400 || /id="content"|hx-swap-oob/.test(text)
  if (!isOwnPage || (requestedUrl && requestedUrl !== request.action)) event.preventDefault()
})

/** After a person's action, but not after a refresh, closes menus and popovers. */
document.addEventListener('htmx:after:swap', (event) => {
  setStale(false)
  if (event.detail.ctx.request.headers['HX-Request-Type'] !== 'full') return
  closeMenus()
  if (document.activeElement === document.body) document.getElementById('content')?.focus({ preventScroll: true })
  for (const shown of document.querySelectorAll('[popover]:popover-open')) shown.hidePopover()
})

/** The number in the bell refreshes while the page is visible, and after each action of the person. */
const bellCount = document.getElementById('unread')
const refreshBell = () => bellCount?.dispatchEvent(new Event('refresh'))
document.addEventListener('visibilitychange', refreshBell)
document.addEventListener('htmx:after:swap', (event) => isUserRequest(event) && refreshBell())
document.addEventListener('htmx:before:request', (event) => {
  if (document.hidden && event.detail.ctx.sourceElement === bellCount) event.preventDefault()
})
// Scripts of pages react to every swap, so those of the bell stay within it. Its failures only keep the old number.
for (const name of ['htmx:after:swap', 'htmx:error', 'htmx:response:error'])
  bellCount?.addEventListener(name, (event) => event.stopPropagation())

/** Adds no history entry for an error or for the current address. */
document.addEventListener('htmx:before:history:update', (event) => {
  const { history, response } = event.detail
  if (response?.status >= 400 || history.path === location.pathname + location.search) event.preventDefault()
})

/** Omits empty fields of a GET form from the address. */
document.addEventListener('htmx:config:request', (event) => {
  const { method, body } = event.detail.ctx.request
  if (method !== 'GET') return
  for (const name of new Set(body.keys())) if (body.getAll(name).every((value) => value === '')) body.delete(name)
})

/** A changed filter submits its form. Without scripts, a button does. */
document.addEventListener('change', ({ target }) => {
  if (target.matches('select') && target.form?.matches('[data-submit]')) target.form.requestSubmit()
})

/** Replaces the browser's validation messages by those of the page, in the language of the page. */
document.addEventListener(
  'invalid',
  ({ target }) => {
    const { validity, dataset } = target
    const { missing = '', short = '', wrong = '' } = dataset
    target.setCustomValidity('')
    target.setCustomValidity(validity.valueMissing ? missing : validity.tooShort ? short : validity.valid ? '' : wrong)
  },
  true,
)
for (const eventName of ['input', 'change', 'reset']) {
  document.addEventListener(
    eventName,
    ({ target }) => (target.elements ? [...target.elements] : [target]).forEach((one) => one.setCustomValidity?.('')),
    true,
  )
}

/** Empties a form with data-clear after it was accepted, so that its values are not sent twice. */
document.addEventListener('htmx:after:swap', ({ detail: { ctx } }) => {
  if (ctx.response.status < 400 && ctx.sourceElement.matches('form[data-clear]')) ctx.sourceElement.reset()
})

/** The key / focuses the search field of the page. */
document.addEventListener('keydown', (event) => {
  const search = document.querySelector('[data-search]')
  if (event.key !== '/' || !search || event.ctrlKey || event.metaKey || event.altKey) return
  if (event.target.closest?.('input:not([type=checkbox], [type=radio]), select, textarea, [contenteditable]')) return
  event.preventDefault()
  search.focus()
  search.select()
})

/** An error page with data-retry reloads as soon as its address responds successfully. */
if (document.querySelector('[data-retry]')) {
  const checkService = () => fetch(location.href, { method: 'HEAD' }).then(({ ok }) => ok && location.reload())
  setInterval(() => void checkService().catch(() => undefined), 5000)
}

/** Prints the page. */
document.addEventListener('click', ({ target }) => target.closest?.('[data-print]') && print())

/** Arrow keys move between the bars of a chart. Tab reaches only one bar, so that a chart is one tab stop. */
document.addEventListener('keydown', (event) => {
  const point = event.target.closest?.('.points > *')
  if (!point || event.ctrlKey || event.metaKey || event.altKey) return
  const { previousElementSibling: before, nextElementSibling: after, parentElement } = point
  const { firstElementChild: Home, lastElementChild: End } = parentElement
  const next = { ArrowLeft: before, ArrowRight: after, Home, End }[event.key]
  if (!next) return
  event.preventDefault()
  point.tabIndex = -1
  next.tabIndex = 0
  next.focus()
})

/** Finds the next cell of a heat map in the direction of a key. Skips cells with too few calls, which have no link. */
function findHeatCell(cell, key) {
  const row = cell.parentElement
  const cells = [...row.children]
  const column = cells.indexOf(cell)
  const rows = [...row.parentElement.children]
  const line = rows.map((one) => one.children[column])
  const candidates = {
    ArrowLeft: cells.slice(0, column).toReversed(),
    ArrowRight: cells.slice(column + 1),
    ArrowUp: line.slice(0, rows.indexOf(row)).toReversed(),
    ArrowDown: line.slice(rows.indexOf(row) + 1),
    Home: cells,
    End: cells.toReversed(),
  }[key]
  return candidates?.find((one) => one.querySelector('a'))
}

/** Arrow keys move between the cells of a heat map. Tab reaches only one cell. */
document.addEventListener('keydown', (event) => {
  const cell = event.target.closest?.('[data-heat] td')
  if (!cell || event.ctrlKey || event.metaKey || event.altKey) return
  const next = findHeatCell(cell, event.key)?.querySelector('a')
  if (!next) return
  event.preventDefault()
  event.target.tabIndex = -1
  next.tabIndex = 0
  next.focus()
})
