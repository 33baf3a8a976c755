// Menagerie's scenes, Gymnasium's models and models/ beside MuJoCo 3 (npm, WebAssembly): masses and inertias of the bodies,
// and at 20 random states M, bias, passive and actuator forces and accelerations, all without contacts, limits and loops.
//   node compare.mjs AT_STATES [FILE...]     FILE: only these; needs CRADLE_MENAGERIE, CRADLE_GYMNASIUM for the others
import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import load from '@mujoco/mujoco';

const STATES = 20, REACH = 0.8, TOLERANCE = 1e-8, AXES = 1e-6;
const root = process.env.CRADLE_SOURCE;

/* What differs, with its bound. Masses and inertias: By the legacy rule the inertia of a mesh depends on how the polygons
 * of its OBJ file are cut into triangles, which is each reader's own choice: google_robot and stretch_3 have such
 * polygons. Why trossen_wxai's differ is not known. The place where a string inside a ring
 * (models/ring.xml) touches it MuJoCo finds to 1e-6 (tests/mujoco). */
const KNOWN = {
  'google_robot/scene.xml': 1e-3, 'hello_robot_stretch_3/scene.xml': 3e-2, 'trossen_wxai/scene.xml': 1e-3,
  'models/ring.xml': 1e-5,
};

/* ---------------------------------------------------------------------------------------------- models */

const list = (folder, wanted) =>
  folder && fs.existsSync(folder) ? fs.readdirSync(folder).filter(wanted).sort().map(name => path.join(folder, name)) : [];
const isXml = name => name.endsWith('.xml');

function allModels() {
  const menagerie = process.env.CRADLE_MENAGERIE, gymnasium = process.env.CRADLE_GYMNASIUM;
  const scenes = list(menagerie, name => !name.startsWith('.')).flatMap(
    folder => fs.statSync(folder).isDirectory() ? list(folder, name => isXml(name) && name.startsWith('scene')) : []);
  return [...list(path.join(root, 'models'), isXml), ...scenes,
          ...list(gymnasium && path.join(gymnasium, 'gymnasium/envs/mujoco/assets'), isXml)];
}

/* Copies a folder into the memory of the WebAssembly module, where MuJoCo reads. */
function lend(mj, folder) {
  mj.FS.mkdirTree(folder);
  for (const entry of fs.readdirSync(folder, { withFileTypes: true })) {
    const name = path.join(folder, entry.name);
    if (entry.isDirectory()) lend(mj, name);
    else if (/\.(xml|stl|obj|msh|png|bin|hf)$/i.test(entry.name)) mj.FS.writeFile(name, fs.readFileSync(name));
  }
}

/* ---------------------------------------------------------------------------------------------- states */

/* Deterministic: the same states on every machine [Marsaglia 2003, xorshift]. */
function generator(seed) {
  let s = seed >>> 0 || 1;
  const uniform = () => { s ^= s << 13; s >>>= 0; s ^= s >>> 17; s ^= s << 5; s >>>= 0; return s / 4294967296; };
  const normal = () => Math.sqrt(-2 * Math.log(uniform() || 0.5)) * Math.cos(2 * Math.PI * uniform());
  return { uniform, normal };
}

const FREE = 0, BALL = 1;
function randomState(m, seed) {
  const { uniform, normal } = generator(seed * 2654435761), q = Array.from(m.qpos0);
  const turn = at => {
    const x = [normal(), normal(), normal(), normal()], size = Math.hypot(...x);
    x.forEach((value, i) => q[at + i] = value / size);
  };
  for (let j = 0; j < m.njnt; j++) {
    const at = m.jnt_qposadr[j], type = m.jnt_type[j], scalars = type === FREE ? 3 : type === BALL ? 0 : 1;
    for (let k = 0; k < scalars; k++) q[at + k] += REACH * (2 * uniform() - 1);
    if (type === FREE) turn(at + 3);
    if (type === BALL) turn(at);
  }
  return { q, v: Array.from({ length: m.nv }, normal), ctrl: Array.from({ length: m.nu }, normal),
           act: Array.from({ length: m.na }, uniform) };
}

/* ---------------------------------------------------------------------------------------------- differences */

/* Largest difference, relative to the largest entry and at least to `scale`. */
function apart(x, y, scale = 0) {
  let most = 0;
  for (let i = 0; i < y.length; i++) {
    const d = Math.abs(x[i] - y[i]);
    most = Math.max(most, Number.isFinite(d) ? d : Infinity), scale = Math.max(scale, Math.abs(x[i]), Math.abs(y[i]));
  }
  return scale > 0 ? most / scale : most;
}

function tensor(quat, d) {
  const [w, x, y, z] = quat;
  const R = [1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y), 2 * (x * y + w * z), 1 - 2 * (x * x + z * z),
             2 * (y * z - w * x), 2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)];
  return [[0, 0], [1, 1], [2, 2], [0, 1], [0, 2], [1, 2]].map(
    ([i, j]) => [0, 1, 2].reduce((sum, k) => sum + R[3 * i + k] * d[k] * R[3 * j + k], 0));
}

function compareBodies(note, mj, m, take) {
  for (let b = 0; b < m.nbody; b++) {
    const [mass, ...rest] = take(10), theirs = m.body_mass[b];
    if (b === 0) continue;
    const where = mj.mj_id2name(m, mj.mjtObj.mjOBJ_BODY.value, b);
    note('mass', apart([mass], [theirs]), where);
    if (theirs === 0) continue;
    const own = Array.from(m.body_inertia.slice(3 * b, 3 * b + 3)), gyration = Math.sqrt((own[0] + own[1] + own[2]) / theirs);
    note('centre of mass', apart(rest.slice(0, 3), m.body_ipos.slice(3 * b, 3 * b + 3), gyration), where);
    note('inertia', apart(rest.slice(3), tensor(m.body_iquat.slice(4 * b, 4 * b + 4), own)), where);
  }
}

/* Lamb's added masses, of which MuJoCo's quadrature has five digits. */
function giveAddedMass(m, take) {
  const [count] = take(1);
  for (let g = 0, k = 0; g < m.ngeom && k < count; g++)
    if (m.geom_fluid[12 * g] > 0) m.geom_fluid.set(take(6), 12 * g + 6), k++;
}

// An accelerometer that is fixed to the ground reads 0 in MuJoCo 3; an instrument, 2.2.2 and cradle read -gravity.
function isFixedAccelerometer(mj, m, id) {
  return m.sensor_type[id] === mj.mjtSensor.mjSENS_ACCELEROMETER.value && m.body_weldid[m.site_bodyid[m.sensor_objid[id]]] === 0;
}

function compareState(note, mj, m, d, state, mass, sensors, take) {
  const nv = m.nv;
  mj.mj_resetData(m, d);
  d.qpos.set(state.q), d.qvel.set(state.v);
  if (m.nu) d.ctrl.set(state.ctrl);
  if (m.na) d.act.set(state.act);
  mj.mj_forward(m, d);
  const M = take(nv * nv), bias = take(nv), passive = take(nv), driven = take(nv), qacc = take(nv),
        rate = take(m.na);
  const full = new mj.DoubleBuffer(nv * nv);
  mj.mj_fullM(m, d, full);
  const theirs = full.GetView();
  let weight = 0;
  for (let i = 0; i < nv; i++) {
    weight = Math.max(weight, 9.81 * Math.sqrt(mass * theirs[nv * i + i]));
    for (let j = 0; j < nv; j++)
      note('M', Math.abs(M[nv * i + j] - theirs[nv * i + j]) / Math.sqrt(theirs[nv * i + i] * theirs[nv * j + j]));
  }
  full.delete();
  note('bias', apart(bias, d.qfrc_bias, weight));
  if (d.qfrc_gravcomp.some(force => force !== 0)) { // of joints with actuatorgravcomp MuJoCo counts it as the actuators'
    note('passive and actuation', apart(passive.map((x, i) => x + driven[i]),
                                        d.qfrc_passive.map((x, i) => x + d.qfrc_actuator[i])));
  } else {
    note('passive', apart(passive, d.qfrc_passive));
    note('actuation', apart(driven, d.qfrc_actuator));
  }
  note('rate of activation', apart(rate, d.act_dot));
  note('acceleration', apart(qacc, d.qacc_smooth, 1));
  for (const { name, dim } of sensors) {
    const ours = take(dim), id = name ? mj.mj_name2id(m, mj.mjtObj.mjOBJ_SENSOR.value, name) : -1;
    if (id < 0 || isFixedAccelerometer(mj, m, id)) continue; // without a name
    const values = d.sensordata.slice(m.sensor_adr[id], m.sensor_adr[id] + dim);
    const sign = dim === 4 && ours.reduce((sum, x, i) => sum + x * values[i], 0) < 0 ? -1 : 1; // q and -q are one rotation
    note('sensor', apart(ours.map(x => sign * x), values, 1), name);
  }
}

/* Meshes and textures that the checkout lacks are only for show, or cradle would miss them too: anything stands for them. */
const STANDINS = {
  '.obj': 'v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n',
  '.stl': (() => {
    const corners = [[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]], faces = [[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]];
    const bytes = new DataView(new ArrayBuffer(84 + 50 * 4));
    bytes.setUint32(80, 4, true);
    faces.forEach((face, f) => face.forEach((v, j) => corners[v].forEach(
      (x, k) => bytes.setFloat32(84 + 50 * f + 12 + 12 * j + 4 * k, x, true))));
    return new Uint8Array(bytes.buffer);
  })(),
  '.png': Buffer.from('iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg==', 'base64'),
};

function loadModel(mj, file) {
  const folder = path.dirname(file), texts = list(folder, isXml).map(name => fs.readFileSync(name, 'utf8')).join('\n');
  const folders = [...new Set(['', ...[...texts.matchAll(/(?:meshdir|assetdir|texturedir)="([^"]*)"/g)].map(found => found[1])])];
  for (const [, name] of texts.matchAll(/file[a-z]*="([^"]*)"/g)) {
    const standin = STANDINS[path.extname(name).toLowerCase()];
    const places = folders.map(inside => path.resolve(folder, inside, name));
    if (!standin || places.some(place => fs.existsSync(place))) continue;
    for (const place of places) mj.FS.mkdirTree(path.dirname(place)), mj.FS.writeFile(place, standin);
  }
  return mj.MjModel.from_xml_path(file);
}

async function compare(program, file) {
  const mj = await load({ print: () => {}, printErr: () => {} }); // each with memory of its own
  try {
    lend(mj, path.dirname(file));
    const m = loadModel(mj, file), d = new mj.MjData(m), worst = {};
    m.opt.disableflags |= 1; // constraints
    const note = (kind, error, where = '') => { if (!(error <= (worst[kind]?.error ?? 0))) worst[kind] = { error, where }; };
    const states = Array.from({ length: STATES }, (_, i) => randomState(m, i + 1));
    const input = Float64Array.from(states.flatMap(s => [...s.q, ...s.v, ...s.ctrl, ...s.act]));
    const run = spawnSync(program, [file], { input: Buffer.from(input.buffer), maxBuffer: 1 << 30 });
    if (run.status !== 0) return { refused: run.stderr.toString().trim() };
    const output = new Float64Array(run.stdout.buffer.slice(run.stdout.byteOffset, run.stdout.byteOffset + run.stdout.length));
    let at = 0;
    const take = n => output.slice(at, at += n), sizes = take(6), wanted = [m.nq, m.nv, m.nu, m.nbody, m.na];
    if (wanted.some((n, i) => n !== sizes[i])) return { sizes: `nq nv nu nbody na ${sizes.slice(0, 5)}, expected ${wanted}` };
    compareBodies(note, mj, m, take);
    giveAddedMass(m, take);
    const sensors = Array.from({ length: sizes[5] }, () => {
      const [dim, length] = take(2);
      return { dim, name: Buffer.from(take(length)).toString() };
    });
    const mass = m.body_mass.reduce((sum, x) => sum + x, 0);
    for (const state of states) compareState(note, mj, m, d, state, mass, sensors, take);
    return { worst };
  } catch (error) {
    return { theirs: String(error.message ?? error).slice(0, 200) };
  }
}

const [program, ...chosen] = process.argv.slice(2), version = (await load()).mj_versionString();
let bad = 0, good = 0, refused = 0;
for (const file of chosen.length ? chosen.map(name => path.resolve(name)) : allModels()) {
  const name = path.relative(path.dirname(path.dirname(file)), file), result = await compare(program, file);
  // MuJoCo finds principal axes to 1e-6 rad only: what that does to a tensor is allowed, and what the tensor does to M
  const rounding = KNOWN[name] ?? Math.min(result.worst?.inertia?.error ?? 0, AXES);
  // accelerations on sensors follow from masses: where these are known to differ, they do
  const off = Object.entries(result.worst ?? {}).filter(([kind]) => !(kind === 'sensor' && KNOWN[name])).filter(
    ([kind, { error }]) => !(error <= (kind === 'inertia' ? Math.max(AXES, rounding) : TOLERANCE + rounding)));
  if (result.worst && off.length === 0) good++;
  else if (result.refused) refused++, console.log(`${name}: not read: ${result.refused}`);
  else if (result.theirs) console.log(`${name}: MuJoCo does not read it: ${result.theirs}`);
  else bad++, console.log(`${name}: ${result.sizes ?? off.map(([kind, { error, where }]) => `${kind} ${error.toExponential(1)} ${where}`).join(', ')}`);
}
console.log(`MuJoCo ${version}: ${good} models agree to ${TOLERANCE}, ${bad} do not, ${refused} are not read`);
process.exit(bad > 0 ? 1 : 0);
