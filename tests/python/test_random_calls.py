"""Random calls return, or raise what is documented; scripts/python_sanitize.sh makes a thousand of them under AddressSanitizer."""
import pytest

import random_calls


@pytest.mark.filterwarnings("ignore::RuntimeWarning")  # NumPy's, of what is not finite
@pytest.mark.parametrize("seed", [1, 2])
def test_random_calls(seed):
    ended = random_calls.make_calls(150, seed)
    # Most are good calls, and wrong ones are among them.
    assert ended["returned"] > 50 and ended["InputError"] > 10
