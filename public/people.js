// Choosing a role checks the boxes of its default permissions. Without scripts, a hint names the defaults.

document.addEventListener('change', ({ target }) => {
  if (target.name !== 'role' || target.dataset.rights === undefined) return
  const defaults = target.dataset.rights.split(' ')
  for (const box of target.form.querySelectorAll('input[name=rights]:enabled'))
    box.checked = defaults.includes(box.value)
})

const foldName = (name) => name.trim().replace(/\s+/g, ' ').toLowerCase().replaceAll('ё', 'е')

/** A name in a roster selects its department, the only one that a manager with this name can have. */
document.addEventListener('input', ({ target }) => {
  if (target.name !== 'name' || !target.list || target.form.elements.role?.value !== 'manager') return
  const options = [...target.list.querySelectorAll('[data-department]')]
  const chosen = options.find((option) => foldName(option.value) === foldName(target.value))
  if (!chosen) return
  for (const box of target.form.querySelectorAll('input[name=departments]:enabled'))
    box.checked = box.value === chosen.dataset.department
})
