//! NumPy's `SeedSequence`: spreads the bits of a seed (M. E. O'Neill's seed_seq design).

const POOL: usize = 4;
const INIT_A: u32 = 0x43b0_d7e5;
const MULT_A: u32 = 0x931e_8875;
const INIT_B: u32 = 0x8b51_f9dd;
const MULT_B: u32 = 0x58f3_8ded;
const MIX_LEFT: u32 = 0xca01_f9dd;
const MIX_RIGHT: u32 = 0x4973_f715;
const SHIFT: u32 = 16;

/// The first four words of `SeedSequence(seed).generate_state(4, uint64)`.
pub(super) fn state(seed: u64) -> [u64; 4] {
    let words = [seed as u32, (seed >> 32) as u32];
    let mut constant = INIT_A;
    let mut hash = |value: u32| {
        let value = value ^ constant;
        constant = constant.wrapping_mul(MULT_A);
        let value = value.wrapping_mul(constant);
        value ^ (value >> SHIFT)
    };
    let mut pool = [0u32; POOL];
    for (slot, entry) in pool.iter_mut().enumerate() {
        *entry = hash(words.get(slot).copied().unwrap_or(0));
    }
    for source in 0..POOL {
        for target in (0..POOL).filter(|&target| target != source) {
            let value = hash(pool[source]);
            let mixed = MIX_LEFT.wrapping_mul(pool[target]).wrapping_sub(MIX_RIGHT.wrapping_mul(value));
            pool[target] = mixed ^ (mixed >> SHIFT);
        }
    }
    let mut constant = INIT_B;
    let mut output = [0u32; 8];
    for (at, out) in output.iter_mut().enumerate() {
        let value = pool[at % POOL] ^ constant;
        constant = constant.wrapping_mul(MULT_B);
        let value = value.wrapping_mul(constant);
        *out = value ^ (value >> SHIFT);
    }
    std::array::from_fn(|at| u64::from(output[2 * at]) | u64::from(output[2 * at + 1]) << 32)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Vectors of NumPy 2.4.6.
    #[test]
    fn states_are_those_of_numpy() {
        assert_eq!(
            state(0),
            [0xdb2c_d7e7_b0f4_78be, 0xabf4_641a_2c71_ba49, 0x20c6_ed6d_9d7b_8d41, 0x2c40_99de_223c_39d4]
        );
        assert_eq!(
            state(42),
            [0x9f1e_2e6d_cd54_0ab7, 0xd578_73dc_79fb_94b6, 0x7d28_2a1b_64d4_20b7, 0x3365_7971_4692_d5ff]
        );
        assert_eq!(
            state((1 << 40) + 7),
            [0x0d86_72e1_0e3d_1a15, 0x9aef_4ada_4ecf_a161, 0x999c_1c3b_83db_a903, 0x4089_27dc_0dc8_a316]
        );
    }
}
